package billing;

import java.util.ArrayList;
import java.util.List;

/** What a customer owes for the messages of one month. */
public class Invoice {
    /** How far an invoice has come. */
    public enum Status { DRAFT, SENT, PAID }

    /** One line: a quantity at a unit price. */
    public record Line(String text, int quantity, long unitPriceCents) {}

    private final List<Line> lines = new ArrayList<>();
    private Status status = Status.DRAFT;

    public void addLine(Line line) {
        if (status != Status.DRAFT) {
            throw new IllegalStateException("only a draft can be changed");
        }
        lines.add(line);
    }

    /** The sum of all lines, before tax. */
    public long totalCents() {
        return lines.stream().mapToLong(line -> line.quantity() * line.unitPriceCents()).sum();
    }

    /** The sum with value added tax, rounded half up to the cent. */
    public long totalCents(int vatPercent) {
        return (totalCents() * (100 + vatPercent) + 50) / 100;
    }

    public void markPaid() {
        status = Status.PAID;
    }
}
