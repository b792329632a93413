package alarm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/alarm"
)

// startClock runs a clock until the test ends, and collects its calls: the key and the seconds
// since the start.
func startClock(t *testing.T, clock *alarm.Clock) *[]string {
	t.Helper()
	start, rung := time.Now(), &[]string{}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go clock.Run(ctx, func(key string) { *rung = append(*rung, fmt.Sprint(key, "@", time.Since(start).Seconds())) })
	return rung
}

func after(seconds float64) time.Time {
	return time.Now().Add(time.Duration(seconds * float64(time.Second)))
}

func TestClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(c *alarm.Clock)
		want []string
	}{
		"nothing":                      {func(*alarm.Clock) {}, nil},
		"alarms fire in order of time": {func(c *alarm.Clock) { c.Set("b", after(2)); c.Set("a", after(1)); c.Set("c", after(3)) }, []string{"a@1", "b@2", "c@3"}},
		"time in the past":             {func(c *alarm.Clock) { c.Set("a", after(-5)) }, []string{"a@0"}},
		"time in the distant future":   {func(c *alarm.Clock) { c.Set("a", after(86400)) }, []string{"a@86400"}},
		"a fraction":                   {func(c *alarm.Clock) { c.Set("a", after(0.25)) }, []string{"a@0.25"}},
		"later":                        {func(c *alarm.Clock) { c.Set("a", after(1)); c.Set("a", after(5)) }, []string{"a@5"}},
		"earlier":                      {func(c *alarm.Clock) { c.Set("a", after(5)); c.Set("b", after(3)); c.Set("a", after(1)) }, []string{"a@1", "b@3"}},
		"alarm removed":                {func(c *alarm.Clock) { c.Set("a", after(1)); c.Set("b", after(2)); c.Set("a", time.Time{}) }, []string{"b@2"}},
		"removal of an unknown alarm":  {func(c *alarm.Clock) { c.Set("a", time.Time{}) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				clock := alarm.New()
				rung := startClock(t, clock)
				synctest.Wait() // the clock is asleep: a new alarm must wake it
				c.set(clock)
				time.Sleep(48 * time.Hour)
				synctest.Wait()
				require.Equal(t, c.want, append([]string(nil), *rung...))
			})
		})
	}
}

func TestSetWhileRinging(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := alarm.New()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		clock.Set("a", after(1))
		go clock.Run(ctx, func(key string) {
			if n++; n < 5 {
				clock.Set(key, after(1))
			}
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, 5, n)
	})
}

func TestManyAlarms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := alarm.New()
		want := 0
		for i := range 1000 {
			clock.Set(fmt.Sprint(i), after(float64(rand.IntN(1000))))
		}
		for i := range 1000 {
			switch i % 3 {
			case 0:
				clock.Set(fmt.Sprint(i), time.Time{})
			case 1:
				clock.Set(fmt.Sprint(i), after(float64(rand.IntN(1000))))
				want++
			default:
				want++
			}
		}
		var last float64
		rung := startClock(t, clock)
		time.Sleep(1000 * time.Second)
		synctest.Wait()
		require.Len(t, *rung, want)
		for _, r := range *rung {
			var key int
			var at float64
			_, err := fmt.Sscanf(r, "%d@%g", &key, &at)
			require.NoError(t, err)
			require.GreaterOrEqual(t, at, last)
			last = at
		}
	})
}
