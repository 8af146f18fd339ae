// External functions of C itself, which need no library (specification 12.9).
package external_
  //! Math a=2 b=5 c=1.718281828459045
  model Math
    function cubeRoot
      input Real x;
      output Real y;
      external "C" y = cbrt(x);
    end cubeRoot;
    function hypot
      input Real x;
      input Real z;
      output Real y;
      external "C";
    end hypot;
    function expm1
      input Real x;
      output Real y;
      external;
    end expm1;
    Real a = cubeRoot(8 * time), b = hypot(3 * time, 4), c = expm1(time);
  end Math;
end external_;
