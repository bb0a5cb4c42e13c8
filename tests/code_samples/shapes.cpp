// Shapes and their areas.
#include <string>

namespace geometry::flat {

constexpr double kPi = 3.14159;

/// Anything with an area.
class Shape {
 public:
    explicit Shape(std::string name);
    virtual ~Shape();
    virtual double area() const = 0;
    bool operator==(const Shape& other) const { return true; }
    static const int kSides = 4;

 private:
    std::string name_;
};

template <typename T>
struct Stack {
    void push(T item);
    int size() const { return 0; }
};

enum class Colour { Red, Green };
using Name = std::string;

double area(double radius) { return kPi * radius * radius; }
double area(double width, double height) { return width * height; }

}  // namespace geometry::flat

namespace {
int hidden() { return 1; }
}

using namespace geometry::flat;

Shape::Shape(std::string name) : name_(name) {}

Shape::~Shape() {
    auto check = [](int x) { return x; };
}

template <typename T>
void Stack<T>::push(T item) {
}

enum { kOne, kTwo };

TEST(ShapeTest, HasArea) {
    int local = 3;
}
