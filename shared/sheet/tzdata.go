//go:build !js

package sheet

import _ "time/tzdata" // functions run without installed time zones; browsers show no times in them
