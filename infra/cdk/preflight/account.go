package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// account is the account and region of the credentials in the environment.
type account struct {
	region  string
	ec2     *ec2.Client
	iam     *iam.Client
	lambda  *lambda.Client
	rds     *rds.Client
	s3      *s3.Client
	quotas  *servicequotas.Client
	ssm     *ssm.Client
	sts     *sts.Client
	id, arn string // of the caller, after identify
}

func newAccount(c aws.Config) *account {
	return &account{
		region: c.Region, ec2: ec2.NewFromConfig(c), iam: iam.NewFromConfig(c), lambda: lambda.NewFromConfig(c), rds: rds.NewFromConfig(c),
		s3: s3.NewFromConfig(c), quotas: servicequotas.NewFromConfig(c), ssm: ssm.NewFromConfig(c), sts: sts.NewFromConfig(c),
	}
}

// identify looks up whose credentials these are. The policies of an assumed role are those of the role.
func (a *account) identify(ctx context.Context) error {
	out, err := a.sts.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return err
	}
	a.id, a.arn = aws.ToString(out.Account), aws.ToString(out.Arn)
	if prefix, rest, assumed := strings.Cut(a.arn, ":assumed-role/"); assumed {
		role, _, _ := strings.Cut(rest, "/")
		a.arn = strings.Replace(prefix, ":sts:", ":iam:", 1) + ":role/" + role
	}
	return nil
}

func (a *account) partition() string { return strings.Split(a.arn, ":")[1] }

// bootstrapVersion returns the version of the CDK's own stack, or 0 without one.
func (a *account) bootstrapVersion(ctx context.Context) (int, error) {
	out, err := a.ssm.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String("/cdk-bootstrap/hnb659fds/version")})
	if isNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(aws.ToString(out.Parameter.Value))
}

// concurrency returns the concurrent executions of Lambda in the region that no function has reserved.
func (a *account) concurrency(ctx context.Context) (int, error) {
	out, err := a.lambda.GetAccountSettings(ctx, &lambda.GetAccountSettingsInput{})
	if err != nil || out.AccountLimit == nil {
		return 0, errors.Join(err, missingPart(err))
	}
	return int(aws.ToInt32(out.AccountLimit.UnreservedConcurrentExecutions)), nil
}

// networks returns how many networks the region has, and may have.
func (a *account) networks(ctx context.Context) (has, may int, err error) {
	pages := ec2.NewDescribeVpcsPaginator(a.ec2, &ec2.DescribeVpcsInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return 0, 0, err
		}
		has += len(page.Vpcs)
	}
	out, err := a.quotas.GetServiceQuota(ctx, &servicequotas.GetServiceQuotaInput{ServiceCode: aws.String("vpc"), QuotaCode: aws.String("L-F678F1CE")})
	if isNotFound(err) {
		return has, 5, nil // the default of AWS
	}
	if err != nil || out.Quota == nil {
		return 0, 0, errors.Join(err, missingPart(err))
	}
	return has, int(aws.ToFloat64(out.Quota.Value)), nil
}

// zone is an availability zone by its name in this account and its id in all.
type zone struct{ name, id string }

func (a *account) zones(ctx context.Context) ([]zone, error) {
	out, err := a.ec2.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{})
	if err != nil {
		return nil, err
	}
	var list []zone
	for _, z := range out.AvailabilityZones {
		if aws.ToString(z.ZoneType) == "availability-zone" {
			list = append(list, zone{aws.ToString(z.ZoneName), aws.ToString(z.ZoneId)})
		}
	}
	slices.SortFunc(list, func(x, y zone) int { return strings.Compare(x.name, y.name) })
	return list, nil
}

// hasRole reports whether a role exists.
func (a *account) hasRole(ctx context.Context, name string) (bool, error) {
	_, err := a.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: &name})
	if isNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// hasPolicy reports whether the account has a policy of that name.
func (a *account) hasPolicy(ctx context.Context, name string) (bool, error) {
	_, err := a.iam.GetPolicy(ctx, &iam.GetPolicyInput{PolicyArn: aws.String("arn:" + a.partition() + ":iam::" + a.id + ":policy/" + name)})
	if isNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// offersDatabase reports whether the region has that class of database in a major version.
func (a *account) offersDatabase(ctx context.Context, engine, class, major string) (bool, error) {
	pages := rds.NewDescribeOrderableDBInstanceOptionsPaginator(a.rds, &rds.DescribeOrderableDBInstanceOptionsInput{Engine: &engine, DBInstanceClass: &class})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return false, err
		}
		for _, option := range page.OrderableDBInstanceOptions {
			if strings.HasPrefix(aws.ToString(option.EngineVersion), major) {
				return true, nil
			}
		}
	}
	return false, nil
}

// refusedActions returns those of the actions that the caller's policies do not allow.
func (a *account) refusedActions(ctx context.Context, actions, resources []string) ([]string, error) {
	out, err := a.iam.SimulatePrincipalPolicy(ctx, &iam.SimulatePrincipalPolicyInput{PolicySourceArn: &a.arn, ActionNames: actions, ResourceArns: resources})
	if err != nil {
		return nil, err
	}
	var refused []string
	for _, r := range out.EvaluationResults {
		if r.EvalDecision != iamtypes.PolicyEvaluationDecisionTypeAllowed {
			refused = append(refused, aws.ToString(r.EvalActionName))
		}
	}
	slices.Sort(refused)
	return slices.Compact(refused), nil
}

// hasFunction and hasBucket look for parts of a stage.
func (a *account) hasFunction(ctx context.Context, name string) (bool, error) {
	_, err := a.lambda.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: &name})
	if isNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

func (a *account) hasBucket(ctx context.Context, name string) (bool, error) {
	_, err := a.s3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &name})
	if isNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// isNotFound recognises the errors about something that does not exist, which differ by service.
func isNotFound(err error) bool {
	var api smithy.APIError
	if errors.As(err, &api) && slices.Contains([]string{"ParameterNotFound", "NoSuchEntity", "ResourceNotFoundException", "NoSuchResourceException", "NotFound"}, api.ErrorCode()) {
		return true
	}
	var response *smithyhttp.ResponseError
	return errors.As(err, &response) && response.HTTPStatusCode() == http.StatusNotFound
}

// missingPart is the error of a response without the part that was asked for.
func missingPart(err error) error {
	if err != nil {
		return nil
	}
	return errors.New("the response is incomplete")
}
