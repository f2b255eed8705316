// A shared library that has nothing to do with Latchlab.

extern "C" int answer() {
  return 42;
}
