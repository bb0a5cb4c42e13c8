package org.example;

import java.util.List;

/** Money of one owner. */
@Entity
public class Account<T> extends Base {
    /** The most that may be drawn. */
    public static final int LIMIT = 1000;
    private int balance;

    public Account(int balance) {
        this.balance = balance;
    }

    /** Takes money out. */
    @Override
    public void draw(int amount) {
        Runnable check = () -> {};
    }

    public void draw(int amount, String reason) {
    }

    enum State { OPEN, CLOSED { void reopen() {} } }

    record Entry(int amount) {
        Entry {
        }
    }

    interface Listener {
        int PRIORITY = 1;
        void changed(Account<?> account);
    }

    @interface Audited {
        String by();
    }

    static class Nested {
        void draw(int amount) {
            class Local {
                void run() {}
            }
        }
    }
}
