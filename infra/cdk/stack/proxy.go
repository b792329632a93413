package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsrds"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// proxyPercent is the percentage of the database's connections for the proxy, which serves
// functions without a concurrency limit. The rest is for the limited ones, which connect
// directly, and for people.
const proxyPercent = 60

// newProxy shares a few connections among many instances of functions. It signs in to Postgres as
// the role of its client, with IAM on both sides, so that no role has a password.
func newProxy(st constructs.Construct, net network, target awsrds.ProxyTarget, behind databaseEndpoint) databaseEndpoint {
	group := newSecurityGroup(st, net.vpc, "Proxy", "The pool of connections to Postgres.")
	allowPostgres(net.functions, group) // the target allows connections from there to Postgres
	proxy := awsrds.NewDatabaseProxy(st, jsii.String("Proxy"), &awsrds.DatabaseProxyProps{
		Vpc:                       net.vpc,
		VpcSubnets:                selectSubnets(databaseSubnets),
		SecurityGroups:            &[]awsec2.ISecurityGroup{group},
		ProxyTarget:               target,
		DefaultAuthScheme:         awsrds.DefaultAuthScheme_IAM_AUTH,
		Role:                      newProxyRole(st, behind).WithoutPolicyUpdates(nil),
		RequireTLS:                jsii.Bool(true),
		MaxConnectionsPercent:     jsii.Number(proxyPercent),
		MaxIdleConnectionsPercent: jsii.Number(10),
		BorrowTimeout:             awscdk.Duration_Seconds(jsii.Number(20)),
		// A frozen function holds a connection of the database if the proxy has pinned it.
		IdleClientTimeout: awscdk.Duration_Minutes(jsii.Number(2)),
	})
	// arn:aws:rds:region:account:db-proxy:prx-0123: the last part is the id.
	id := awscdk.Fn_Select(jsii.Number(6), awscdk.Fn_Split(jsii.String(":"), proxy.DbProxyArn(), nil))
	denyEgress(group)
	return databaseEndpoint{host: proxy.Endpoint(), resourceID: id, proxyID: proxy.DbProxyName()}
}

// newProxyRole creates a role that may sign in as the functions' roles, but not as the owner. Its
// trust has no condition, as AWS documents it: whether RDS Proxy names the account is unknown, and
// only principals of this account can pass the role to a proxy.
func newProxyRole(st constructs.Construct, behind databaseEndpoint) awsiam.Role {
	users := []*string{behind.userARN(st, blueprint.AppRole), behind.userARN(st, blueprint.MaintenanceRole)}
	statements := []awsiam.PolicyStatement{allowStatement("Connect", users, "rds-db:connect")}
	return awsiam.NewRole(st, jsii.String("Proxy-role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("rds.amazonaws.com"), nil),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"connect": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
}
