package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/loadbay/loadbay/infra/local/stack"
)

// FairConfig sets the amount of work beside each attack.
type FairConfig struct {
	// Tenants is the number of ordinary organisations.
	Tenants int `env:"FAIR_TENANTS" default:"9"`
	// Files is the number of files that each of them imports, one after the other, beside each attack.
	Files int `env:"FAIR_FILES" default:"5"`
	// Attacks is a part of the names of the attacks to measure; "" measures all.
	Attacks string `env:"FAIR_ATTACKS"`
}

// Validate rejects an empty load.
func (c *FairConfig) Validate() error {
	if c.Tenants < 1 || c.Files < 1 {
		return errors.New("FAIR_TENANTS and FAIR_FILES must be at least 1")
	}
	return nil
}

// The goals: how much longer an import of 100 rows takes beside a hostile organisation.
const (
	medianGoal = 1.5
	p95Goal    = 3
	// attackLead is the time that an attack has before the ordinary imports begin.
	attackLead = 3 * time.Second
)

// UnfairError lists the attacks that made ordinary imports slower than the goals.
type UnfairError []string

func (u UnfairError) Error() string {
	return fmt.Sprintf("load: the goals are not met beside: %v", []string(u))
}

// RunFair measures, on a stack of its own, imports of 100 rows of ordinary organisations without and
// with each attack of a hostile one, and prints their ratios with the goals. It fails if a goal is
// not met.
func RunFair(ctx context.Context, c stack.Config, cfg FairConfig, out io.Writer) error {
	c.LocalWebhooks = true
	return stack.Run(ctx, c, func(s *stack.Stack) error {
		hostile, ordinary, err := createTenants(ctx, s.APIURL, cfg.Tenants)
		if err != nil {
			return err
		}
		bucket := openBucket(s.AWSURL)
		for _, t := range append(ordinary, hostile) {
			t.bucket = bucket
		}
		if _, _, err := importAll(ctx, ordinary, "warm-up", 2); err != nil {
			return err
		}
		fmt.Fprintf(out, "%d organisations import %d files of %d rows each, alone and beside one hostile organisation\n\n", cfg.Tenants, cfg.Files, smallRows)
		fmt.Fprintf(out, "%-32s %9s %9s %9s %9s %14s %12s\n", "", "median", "alone", "p95", "alone",
			fmt.Sprintf("median <= %.1f", medianGoal), fmt.Sprintf("p95 <= %.1f", float64(p95Goal)))
		var unfair UnfairError
		for i, a := range attacks() {
			if !strings.Contains(a.name, cfg.Attacks) {
				continue
			}
			met, err := a.measure(ctx, hostile, ordinary, i, cfg.Files, out)
			if err != nil {
				return err
			}
			if !met {
				unfair = append(unfair, a.name)
			}
		}
		if len(unfair) > 0 {
			return unfair
		}
		return nil
	})
}

// measure imports files alone and then beside the attack, and prints the ratios. Measuring alone each
// time keeps changes of the machine out of the ratio.
func (a *attack) measure(ctx context.Context, hostile *tenant, ordinary []*tenant, number, files int, out io.Writer) (met bool, err error) {
	work := a.work
	if work == nil {
		work = (*tenant).importSmall
	}
	alone, _, err := workAll(ctx, ordinary, fmt.Sprintf("alone%d", number), files, work)
	if err != nil {
		return false, err
	}
	attacking, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- a.run(attacking, hostile) }()
	select {
	case err := <-ended:
		stop()
		return false, fmt.Errorf("load: attack %q ended early: %w", a.name, err)
	case <-time.After(attackLead):
	}
	beside, _, err := workAll(ctx, ordinary, fmt.Sprintf("beside%d", number), files, work)
	stop()
	<-ended //nolint:errcheck // the attack was stopped
	if err != nil {
		return false, err
	}
	median, p95 := ratio(beside, alone, 0.5), ratio(beside, alone, 0.95)
	fmt.Fprintf(out, "%-32s %9s %9s %9s %9s %14.2f %12.2f\n", a.name,
		roundDuration(beside.Percentile(0.5)), roundDuration(alone.Percentile(0.5)), roundDuration(beside.Percentile(0.95)), roundDuration(alone.Percentile(0.95)), median, p95)
	return median <= medianGoal && p95 <= p95Goal, hostile.cancelAll(context.WithoutCancel(ctx))
}

// ratio returns how many times longer a share of the imports took.
func ratio(beside, alone Times, share float64) float64 {
	return beside.Percentile(share).Seconds() / max(alone.Percentile(share).Seconds(), 0.001)
}

// cancelAll cancels the organisation's open imports, so that the next measurement begins without
// them. Some may have ended meanwhile.
func (t *tenant) cancelAll(ctx context.Context) error {
	for {
		var open []struct {
			Identifier string `json:"identifier"`
		}
		if err := t.Get(ctx, "/api/imports?active=true&size=100", &open); err != nil {
			return err
		}
		if len(open) == 0 {
			return nil
		}
		for _, j := range open {
			_ = t.Do(ctx, "DELETE", "/api/imports/"+j.Identifier, "", nil, nil)
		}
		<-time.After(attackPause)
	}
}
