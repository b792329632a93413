package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// command is a program with its arguments, and the variables that it needs beside those
// of this process.
type command struct {
	args, env []string
}

func (s settings) cdk(verb string, flags ...string) command {
	return command{args: append(append([]string{"npx", "--yes", cli, verb, "--all"}, flags...), append([]string{"-c", "stage=" + stage}, s.context...)...)}
}

func (s settings) deploy() command  { return s.cdk("deploy", "--require-approval", "never") }
func (s settings) destroy() command { return s.cdk("destroy", "--force") }

// empty deletes what the stage's buckets hold: a bucket that holds something cannot be destroyed.
func (s settings) empty() command {
	return command{args: []string{"go", "run", "./infra/emptybuckets"}, env: []string{"STAGE=" + stage}}
}

// suite runs the end-to-end suite against what stands in the account. It measures what it calls.
func (s settings) suite() command {
	return command{
		args: []string{"go", "test", "-count=1", "-v", "-timeout", "60m", "-run", "TestDeployed", "./infra/tests/anywhere"},
		env:  []string{"ANYWHERE_DEPLOYED=" + stage, "ANYWHERE_ACCOUNT=" + s.account},
	}
}

// cloud is what the check asks the account itself.
type cloud interface {
	// account is whose the credentials are.
	account(ctx context.Context) (string, error)
	// stands reports whether the stage is there already.
	stands(ctx context.Context) (bool, error)
}

// leaving is how long it may take to destroy what was deployed, also after an interruption.
const leaving = time.Hour

// check deploys, tries and destroys a stage. What it has begun to deploy it destroys, whatever
// happens in between; a stage that stood before is left alone.
func check(ctx context.Context, s settings, c cloud, run func(context.Context, command) error) (err error) {
	account, err := c.account(ctx)
	if err != nil {
		return fmt.Errorf("whose credentials these are: %w", err)
	}
	if account != s.account {
		return fmt.Errorf("the credentials are of account %s, not %s", account, s.account)
	}
	stands, err := c.stands(ctx)
	if err != nil {
		return fmt.Errorf("whether stage %s stands: %w", stage, err)
	}
	if stands {
		return fmt.Errorf("stage %s stands in account %s already: it would be destroyed", stage, account)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving)
		defer cancel()
		if failed := run(ctx, s.empty()); failed != nil {
			err = errors.Join(err, fmt.Errorf("empty the buckets: %w", failed))
		}
		if failed := run(ctx, s.destroy()); failed != nil {
			err = errors.Join(err, fmt.Errorf("destroy: %w; what is left costs money: make empty destroy", failed))
		}
	}()
	if err := run(ctx, s.deploy()); err != nil {
		return fmt.Errorf("deploy: %w", err)
	}
	if err := run(ctx, s.suite()); err != nil {
		return fmt.Errorf("suite: %w", err)
	}
	return nil
}
