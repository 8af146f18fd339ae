model Windows "with a byte order mark"
  Real x; // comment
  /* several
     lines */
equation
  x = 1;
end Windows;
