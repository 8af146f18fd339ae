// Events: reinit, initial equations of discrete variables.
package events
  //! ReinitVector x[1]=3 x[2]=4
  model ReinitVector
    Real x[2](start = {1, 2}, each fixed = true);
  equation
    der(x) = {1, 1};
    when time > 0.5 then
      reinit(x, pre(x) .+ 1);
    end when;
  end ReinitVector;
  //! ReinitSlice x[1]=0.5 x[2]=0.5 x[3]=7.25
  model ReinitSlice
    Real x[3](each start = 1, each fixed = true);
  equation
    der(x) = {1, 1, 1};
    when time > 0.5 then
      reinit(x[1:2], {0, 0});
    elsewhen time > 0.75 then
      reinit(x[3], 7);
    end when;
  end ReinitSlice;
  //! ReinitMatrix x[2,1]=0.5
  model ReinitMatrix
    Real x[2, 2](each start = 1, each fixed = true);
  equation
    der(x) = ones(2, 2);
    when time > 0.5 then
      reinit(x, zeros(2, 2));
    end when;
  end ReinitMatrix;
end events;
