package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/aws/rds/rdsca"
)

const (
	// bootstrapNeeded is the version of the CDK's stack that the templates require.
	bootstrapNeeded = 6
	// unreservable is the concurrency that Lambda keeps for functions without a reservation.
	unreservable = 100
	// devConcurrency suffices for dev, which reserves none.
	devConcurrency = 10
	// zoneWithoutLambda is the only zone in which Lambda is not available.
	zoneWithoutLambda = "use1-az3"
)

// result is the answer to one check. A problem that only may prevent a deployment is a warning.
type result struct {
	name    string
	problem string // "" if everything is there
	warning bool
}

// inspect runs all checks. A check that AWS does not answer is a warning.
func inspect(ctx context.Context, a *account, s settings) ([]result, error) {
	if err := a.identify(ctx); err != nil {
		return nil, fmt.Errorf("the credentials do not work: %w", err)
	}
	checks := []struct {
		name string
		ask  func(context.Context, *account, settings) (result, error)
	}{
		{"certificates of the region's databases", checkRegion},
		{"CDK bootstrap", checkBootstrap},
		{"Lambda concurrency", checkConcurrency},
		{"networks", checkNetworks},
		{"availability zones", checkZones},
		{"database class", checkDatabaseClass},
		{"service-linked roles", checkRoles},
		{"permissions boundary", checkBoundary},
		{"permissions", checkPermissions},
		{"remains of an earlier stage", checkRemains},
	}
	var results []result
	for _, c := range checks {
		r, err := c.ask(ctx, a, s)
		if err != nil {
			r = result{problem: "not checked: " + err.Error(), warning: true}
		}
		r.name = c.name
		results = append(results, r)
	}
	return results, nil
}

func problem(format string, args ...any) (result, error) {
	return result{problem: fmt.Sprintf(format, args...)}, nil
}

func checkRegion(_ context.Context, a *account, _ settings) (result, error) {
	covered, err := rdsca.Covers(a.region)
	if err == nil && !covered {
		return problem("the functions do not trust the databases of %s: choose another region, or add its root certificate to shared/aws/rds/rdsca", a.region)
	}
	return result{}, err
}

func checkBootstrap(ctx context.Context, a *account, _ settings) (result, error) {
	version, err := a.bootstrapVersion(ctx)
	if err == nil && version < bootstrapNeeded {
		return problem("version %d of the CDK's stack is needed and %d is installed: make bootstrap ACCOUNT=%s REGION=%s", bootstrapNeeded, version, a.id, a.region)
	}
	return result{}, err
}

// reservations is the concurrency that the functions of a stage reserve.
func reservations(s settings) int {
	sum := 0
	for _, f := range blueprint.New().Functions {
		if s.prod() {
			sum += max(f.Concurrency, f.ReservedConcurrency)
		}
	}
	return sum
}

func checkConcurrency(ctx context.Context, a *account, s settings) (result, error) {
	if exists, err := a.hasFunction(ctx, deployment(a, s).Function("api")); exists || err != nil {
		return result{}, err // its reservations are made
	}
	free, err := a.concurrency(ctx)
	if err != nil {
		return result{}, err
	}
	need := devConcurrency
	if s.prod() {
		need = reservations(s) + unreservable
	}
	if free < need {
		return problem("stage %s needs %d concurrent executions and %d are free: request 1,000 (Service Quotas → Lambda → Concurrent executions)", s.stage, need, free)
	}
	return result{}, nil
}

func checkNetworks(ctx context.Context, a *account, s settings) (result, error) {
	if s.vpc != "" {
		return result{}, nil
	}
	has, may, err := a.networks(ctx)
	if err == nil && has >= may {
		return problem("the region has %d networks of at most %d: request more (Service Quotas → VPC → VPCs per Region), or use one of them with -c vpcId=", has, may)
	}
	return result{}, err
}

// checkZones finds the zone without Lambda among those that the network would use: without a setting
// these are the first two by name.
func checkZones(ctx context.Context, a *account, s settings) (result, error) {
	if s.vpc != "" {
		return result{}, nil
	}
	all, err := a.zones(ctx)
	if err != nil {
		return result{}, err
	}
	usable := slices.DeleteFunc(slices.Clone(all), func(z zone) bool { return z.id == zoneWithoutLambda })
	if len(usable) < 2 {
		return problem("the region has %d usable zones, and the network needs 2: choose another region", len(usable))
	}
	chosen := all[:2]
	if len(s.zones) > 0 {
		chosen = slices.DeleteFunc(slices.Clone(all), func(z zone) bool { return !slices.Contains(s.zones, z.name) })
		if len(chosen) != len(s.zones) {
			return problem("the account has no zones %s: -c zones=%s,%s", strings.Join(s.zones, ","), usable[0].name, usable[1].name)
		}
	}
	for _, z := range chosen {
		if z.id == zoneWithoutLambda {
			return problem("zone %s (%s) has no Lambda: -c zones=%s,%s", z.name, z.id, usable[0].name, usable[1].name)
		}
	}
	return result{}, nil
}

func checkDatabaseClass(ctx context.Context, a *account, s settings) (result, error) {
	engine, class := s.databaseClass()
	if engine == "" {
		return result{}, nil
	}
	offered, err := a.offersDatabase(ctx, engine, class, s.postgres)
	if err == nil && !offered {
		return problem("%s has no %s with PostgreSQL %s: choose another with -c database= or -c instanceType=", a.region, class, s.postgres)
	}
	return result{}, err
}

// checkRoles looks for the roles that services create in an account at their first use, if the
// deploying role may let them.
func checkRoles(ctx context.Context, a *account, s settings) (result, error) {
	services := map[string]string{"AWSServiceRoleForRDS": "rds.amazonaws.com", "AWSServiceRoleForAPIGateway": "ops.apigateway.amazonaws.com"}
	if s.databaseHost != "" {
		delete(services, "AWSServiceRoleForRDS")
	}
	var missing []string
	for role, service := range services {
		exists, err := a.hasRole(ctx, role)
		if err != nil {
			return result{}, err
		}
		if !exists {
			missing = append(missing, "aws iam create-service-linked-role --aws-service-name "+service)
		}
	}
	if len(missing) == 0 {
		return result{}, nil
	}
	slices.Sort(missing)
	return result{warning: true, problem: "AWS creates the missing ones with the first resource, which can fail in a new account: " + strings.Join(missing, " && ")}, nil
}

func checkBoundary(ctx context.Context, a *account, s settings) (result, error) {
	if s.boundary == "" {
		return result{}, nil
	}
	exists, err := a.hasPolicy(ctx, s.boundary)
	if err == nil && !exists {
		return problem("the account has no policy %s: create it, or correct -c permissionsBoundary=", s.boundary)
	}
	return result{}, err
}

// checkPermissions asks IAM whether the caller may do what the commands of docs/deploying.md do. The
// deployment itself runs with the roles of the bootstrap.
func checkPermissions(ctx context.Context, a *account, s settings) (result, error) {
	if strings.HasSuffix(a.arn, ":root") {
		return result{warning: true, problem: "these are the credentials of the root user: use those of a role or user with administrator permissions"}, nil
	}
	version, err := a.bootstrapVersion(ctx)
	if err != nil {
		return result{}, err
	}
	d := deployment(a, s)
	actions := []string{"sts:AssumeRole"}
	resources := []string{"arn:" + d.Partition + ":iam::" + a.id + ":role/cdk-hnb659fds-deploy-role-" + a.id + "-" + a.region}
	if version < bootstrapNeeded { // `make bootstrap` creates those roles
		actions = []string{"cloudformation:CreateChangeSet", "iam:CreateRole", "iam:AttachRolePolicy", "s3:CreateBucket", "ecr:CreateRepository", "ssm:PutParameter"}
		resources = []string{"*"}
	}
	refused, err := a.refusedActions(ctx, actions, resources)
	if err != nil {
		return result{}, err
	}
	operates, err := a.refusedActions(ctx, []string{"lambda:InvokeFunction"}, []string{d.FunctionARN(blueprint.OperatorFunction)})
	if refused = append(refused, operates...); err == nil && len(refused) > 0 {
		return problem("%s may not %s: use credentials with administrator permissions", a.arn, strings.Join(refused, ", "))
	}
	return result{}, err
}

// checkRemains finds what a deleted stage with retained data has left: CloudFormation cannot create
// a second bucket of the same name.
func checkRemains(ctx context.Context, a *account, s settings) (result, error) {
	d := deployment(a, s)
	if exists, err := a.hasFunction(ctx, d.Function("api")); exists || err != nil {
		return result{}, err
	}
	bucket := d.Bucket(blueprint.New().Bucket.Name)
	exists, err := a.hasBucket(ctx, bucket)
	if err == nil && exists {
		return problem("the bucket %s exists, but stage %s does not: empty and delete it, with the table %s, the key and the database that remained", bucket, s.name(), d.Name(blueprint.New().Table.Name))
	}
	return result{}, err
}

func deployment(a *account, s settings) blueprint.Deployment {
	return blueprint.Deployment{Partition: a.partition(), Region: a.region, Account: a.id, Stage: s.name()}
}

// notChecked are requirements about which no API tells.
const notChecked = `AWS does not say before a deployment:
  whether the account is verified for CloudFront (accounts of the first days may not be: ask AWS support, or deploy with -c console=none);
  whether the account is on the free plan, which allows one day of backups (dev has 1, prod 14).
`

// report prints the results and returns how many would make a deployment fail.
func report(to io.Writer, results []result) (missing int) {
	for _, r := range results {
		switch {
		case r.problem == "":
			fmt.Fprintf(to, "ok       %s\n", r.name)
		case r.warning:
			fmt.Fprintf(to, "warning  %s: %s\n", r.name, r.problem)
		default:
			fmt.Fprintf(to, "missing  %s: %s\n", r.name, r.problem)
			missing++
		}
	}
	fmt.Fprint(to, notChecked)
	return missing
}
