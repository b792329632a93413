package coordination

import "time"

// SetClock makes the table tell the time by now.
func (t *Table) SetClock(now func() time.Time) { t.now = now }
