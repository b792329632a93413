package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// command is a program with its arguments, and its environment variables in addition to those of
// this process.
type command struct {
	args, env []string
	quiet     bool // its output is returned instead of shown
}

func (s settings) cdkCommand(verb string, flags ...string) command {
	return command{args: append(append([]string{"npx", "--yes", cdkCLI, verb, "--all"}, flags...), append([]string{"-c", "stage=" + stage}, s.context...)...)}
}

func (s settings) deployCommand() command {
	return s.cdkCommand("deploy", "--require-approval", "never")
}
func (s settings) destroyCommand() command { return s.cdkCommand("destroy", "--force") }

// emptyCommand empties the stage's buckets, because a bucket with objects cannot be destroyed.
func (s settings) emptyCommand() command {
	return command{args: []string{"go", "run", "./infra/emptybuckets"}, env: []string{"STAGE=" + s.stageName()}}
}

// preflightCommand fails if the account lacks something that the deployment needs.
func (s settings) preflightCommand() command {
	return command{args: []string{"go", "run", "./infra/cdk/preflight"}, env: []string{"AWS_REGION=" + s.region, "CDK_ARGS=" + strings.Join(append([]string{"-c", "stage=" + stage}, s.context...), " ")}}
}

// suiteCommand runs the end-to-end suite against the deployment. It measures its API calls.
func (s settings) suiteCommand() command {
	return command{
		// A new account allows ten concurrent executions, of which each import needs some.
		args: []string{"go", "test", "-count=1", "-v", "-parallel", "2", "-timeout", "60m", "-run", "TestDeployed", "./infra/tests/anywhere"},
		env:  []string{"ANYWHERE_DEPLOYED=" + s.stageName(), "ANYWHERE_ACCOUNT=" + s.account},
	}
}

// budgetName is the name of the budget that warns if something of the check goes on costing money.
const budgetName = "loadbay-deploy-check"

func (s settings) budgetCommand(verb string, flags ...string) command {
	return command{args: append([]string{"aws", "budgets", verb, "--account-id", s.account}, flags...)}
}

// hasBudgetCommand fails if the budget does not exist.
func (s settings) hasBudgetCommand() command {
	c := s.budgetCommand("describe-budget", "--budget-name", budgetName)
	c.quiet = true
	return c
}

// createBudgetCommand creates a budget of $20 a month for the whole account, which warns the address
// for alarms at half of it.
func (s settings) createBudgetCommand() command {
	return s.budgetCommand("create-budget",
		"--budget", `{"BudgetName":"`+budgetName+`","BudgetLimit":{"Amount":"20","Unit":"USD"},"TimeUnit":"MONTHLY","BudgetType":"COST"}`,
		"--notifications-with-subscribers", `[{"Notification":{"NotificationType":"ACTUAL","ComparisonOperator":"GREATER_THAN","Threshold":50},"Subscribers":[{"SubscriptionType":"EMAIL","Address":"`+s.alarmEmail()+`"}]}]`)
}

func (s settings) deleteBudgetCommand() command {
	return s.budgetCommand("delete-budget", "--budget-name", budgetName)
}

// question describes what the check does and costs.
func (s settings) question() string {
	return fmt.Sprintf("This deploys stage %s to account %s in %s, tests it for about an hour and deletes it. It costs less than $1 (estimate), "+
		"and about $6 a month if everything remains; a budget of $20 warns %s. Continue?", s.stageName(), s.account, s.region, s.alarmEmail())
}

// cloudAccount contains the check's own queries to the account.
type cloudAccount interface {
	// accountID returns the account of the credentials.
	accountID(ctx context.Context) (string, error)
	// stageExists reports whether the stage is already deployed.
	stageExists(ctx context.Context, stage string) (bool, error)
}

const (
	// destroyTimeout limits the time for destroying the deployment, also after an interruption.
	destroyTimeout = time.Hour
	// S3 delivers access logs late, into buckets that were emptied before.
	destroyAttempts = 3
	// clockSkew is the most by which the clocks of this machine and of S3 differ. Both refuse more.
	clockSkew = 15 * time.Minute
)

var errDeclined = errors.New("nothing was deployed")

// check deploys, tests and destroys a stage, if the account has what it needs and ask agrees. Once it has started the deployment it
// always destroys it; a stage that existed before is left unchanged. The budget stays until
// everything is destroyed.
func check(ctx context.Context, s settings, c cloudAccount, ask func(question string) bool, run runner) (err error) {
	account, err := c.accountID(ctx)
	if err != nil {
		return fmt.Errorf("get caller identity: %w", err)
	}
	if account != s.account {
		return fmt.Errorf("the credentials are of account %s, not %s", account, s.account)
	}
	exists, err := c.stageExists(ctx, s.stageName())
	if err != nil {
		return fmt.Errorf("look up stage %s: %w", s.stageName(), err)
	}
	if exists {
		return fmt.Errorf("stage %s already exists in account %s and would be destroyed: try another one beside it with -c cell=check", s.stageName(), account)
	}
	if _, err := run(ctx, s.preflightCommand()); err != nil {
		return fmt.Errorf("preflight: %w", err)
	}
	if !ask(s.question()) {
		return errDeclined
	}
	before, err := s.resources(ctx, run)
	if err != nil {
		return err
	}
	if _, err := run(ctx, s.hasBudgetCommand()); err != nil {
		if _, err := run(ctx, s.createBudgetCommand()); err != nil {
			return fmt.Errorf("create the budget: %w", err)
		}
	}
	since := time.Now().Add(-clockSkew)
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), destroyTimeout)
		defer cancel()
		err = errors.Join(err, destroy(ctx, s, before, since, run))
	}()
	if _, err := run(ctx, s.deployCommand()); err != nil {
		return fmt.Errorf("deploy: %w", err)
	}
	if _, err := run(ctx, s.suiteCommand()); err != nil {
		return fmt.Errorf("suite: %w", err)
	}
	return nil
}

// destroy removes the stage, what its stacks leave, and then the budget.
func destroy(ctx context.Context, s settings, before map[string]bool, since time.Time, run runner) error {
	var err error
	for range destroyAttempts {
		err = nil
		if _, failed := run(ctx, s.emptyCommand()); failed != nil {
			err = fmt.Errorf("empty the buckets: %w", failed)
		}
		if _, failed := run(ctx, s.destroyCommand()); failed != nil {
			err = errors.Join(err, fmt.Errorf("destroy: %w; remaining resources cost money: make empty destroy", failed))
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		return errors.Join(err, s.showRemaining(ctx, before, run))
	}
	if err := errors.Join(removeLeftovers(ctx, s, before, run), removeAssets(ctx, s, since, run)); err != nil {
		return err
	}
	_, err = run(ctx, s.deleteBudgetCommand())
	return err
}
