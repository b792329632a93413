package asl

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Retrier defines the errors, delays and number of a Task's retries.
type Retrier struct {
	ErrorEquals ErrorEquals
	Interval    time.Duration
	BackoffRate float64
	MaxAttempts int
	// MaxDelay limits a delay; 0 is no limit.
	MaxDelay time.Duration
	// FullJitter selects a random delay between zero and the computed value.
	FullJitter bool
}

// Catcher defines the next state after an error.
type Catcher struct {
	ErrorEquals ErrorEquals
	Result      Placement
	Next        string
}

// Limits set by AWS.
const (
	maxRetryAttempts   = 99999999
	maxRetryDelay      = 31622400
	maxTimeoutSeconds  = 99999999
	maxIntervalSeconds = 99999999
)

// Delay returns the delay before retry number n (from 0). random is a number from [0, 1), used for
// jitter.
func (r Retrier) Delay(n int, random float64) time.Duration {
	seconds := r.Interval.Seconds() * math.Pow(r.BackoffRate, float64(n))
	if r.MaxDelay > 0 {
		seconds = min(seconds, r.MaxDelay.Seconds())
	}
	seconds = min(seconds, maxRetryDelay)
	if r.FullJitter {
		seconds *= random
	}
	return time.Duration(seconds * float64(time.Second))
}

func (o *object) retriers() []Retrier {
	list := o.list("Retry")
	retriers := make([]Retrier, len(list))
	for i, r := range list {
		retriers[i] = r.retrier(i == len(list)-1)
	}
	return retriers
}

func (o *object) retrier(last bool) Retrier {
	o.text("Comment")
	r := Retrier{
		ErrorEquals: o.errorEquals(last),
		Interval:    time.Duration(o.integer("IntervalSeconds", 1, maxIntervalSeconds, 1)) * time.Second,
		BackoffRate: 2,
		MaxAttempts: int(o.integer("MaxAttempts", 0, maxRetryAttempts, 3)),
		MaxDelay:    time.Duration(o.integer("MaxDelaySeconds", 1, maxRetryDelay, 0)) * time.Second,
	}
	if o.decode("BackoffRate", &r.BackoffRate, "a number") && r.BackoffRate < 1 {
		o.addErrorAt("BackoffRate", "Value must be at least 1.0")
	}
	if r.MaxDelay > 0 && r.MaxDelay <= r.Interval {
		o.addErrorAt("MaxDelaySeconds", "Value must be greater than IntervalSeconds")
	}
	switch strategy := o.text("JitterStrategy"); strategy {
	case "FULL":
		r.FullJitter = true
	case "", "NONE":
	default:
		o.addErrorAt("JitterStrategy", "Value must be FULL or NONE, not '%s'", strategy)
	}
	o.rejectUnknown("a Retrier")
	return r
}

func (o *object) catchers() []Catcher {
	list := o.list("Catch")
	catchers := make([]Catcher, len(list))
	for i, c := range list {
		c.text("Comment")
		c.require("Next")
		catchers[i] = Catcher{ErrorEquals: c.errorEquals(i == len(list)-1), Result: c.placement(), Next: c.text("Next")}
		c.rejectUnknown("a Catcher")
	}
	return catchers
}

func (o *object) errorEquals(last bool) ErrorEquals {
	const name = "ErrorEquals"
	o.require(name)
	var names []string
	if o.decode(name, &names, "an array of strings") && len(names) == 0 {
		o.addErrorAt(name, "Array must have at least 1 element")
	}
	for _, n := range names {
		if strings.HasPrefix(n, "States.") && !slices.Contains(reservedErrors(), n) {
			o.addErrorAt(name, "The error '%s' is not supported", n)
		}
	}
	if slices.Contains(names, ErrAll) && (len(names) > 1 || !last) {
		o.addErrorAt(name, "States.ALL must be alone, and in the last Retrier or Catcher")
	}
	return names
}
