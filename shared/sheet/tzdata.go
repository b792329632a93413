//go:build !js

package sheet

import _ "time/tzdata" // functions run where no zones are installed; browsers show no times in them
