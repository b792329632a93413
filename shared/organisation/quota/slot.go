package quota

import "time"

// Slot is a kind of work of which every organisation does only some at a time, so that slow servers
// and waiting requests of one leave room for the others.
type Slot struct {
	Name     string
	Most     int
	Lifetime time.Duration // a slot that was not released is free again after this time
}

// The slots. AWS runs 10 fetches, 10 calls and 100 requests at a time.
var (
	FetchSlot = Slot{Name: "fetch", Most: 2, Lifetime: 8 * time.Minute}
	CallSlot  = Slot{Name: "call", Most: 2, Lifetime: time.Minute}
	WaitSlot  = Slot{Name: "wait", Most: 2, Lifetime: 30 * time.Second}
	// WorkSlot is for requests with expensive steps, each of which keeps an instance's processor busy.
	WorkSlot = Slot{Name: "work", Most: 1, Lifetime: 30 * time.Second}
	// ReadSlot is for functions that read a whole file that is large or has steps with patterns. It
	// outlives the longest of them.
	ReadSlot = Slot{Name: "read", Most: 4, Lifetime: 16 * time.Minute}
)

// SlotPause is the time after which work without a slot is tried again.
const SlotPause = 5 * time.Second
