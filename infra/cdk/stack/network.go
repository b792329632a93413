package stack

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

const (
	functionSubnets = "functions"
	databaseSubnets = "database"
	postgresPort    = 5432
)

// network is the private network of the database and of the functions that connect to it.
// Nothing in it can be reached from the internet, and it has no IPv4 connection to it.
type network struct {
	vpc awsec2.IVpc
	// functions may open connections to the endpoints and, by a rule in database.go, to Postgres.
	functions awsec2.SecurityGroup
}

func newNetwork(st awscdk.Stack, s Settings, b *blueprint.Blueprint, key awskms.IKey) network {
	if s.Network != nil {
		return importNetwork(st, s)
	}
	props := &awsec2.VpcProps{
		IpAddresses:         awsec2.IpAddresses_Cidr(jsii.String("10.40.0.0/20")),
		NatGateways:         jsii.Number(0),
		SubnetConfiguration: subnets(),
	}
	if len(s.Zones) > 0 {
		props.AvailabilityZones = jsii.Strings(s.Zones...)
	} else {
		props.MaxAzs = jsii.Number(zones)
	}
	vpc := awsec2.NewVpc(st, jsii.String("Vpc"), props)
	vpc.AddFlowLog(jsii.String("Rejected"), &awsec2.FlowLogOptions{
		TrafficType: awsec2.FlowLogTrafficType_REJECT,
		Destination: awsec2.FlowLogDestination_ToCloudWatchLogs(newLogGroup(st, s, key, "FlowLog", "/loadbay/"+s.stageName()+"/network"), nil),
	})
	net := network{vpc: vpc, functions: newFunctionsGroup(st, s, vpc)}
	addGatewayEndpoints(vpc)
	addIPv6(st, vpc, net)
	if s.Access == ByIPv6 || s.BothAccesses {
		addEgress(st, vpc, net)
	}
	if s.Access == ByEndpoints || s.BothAccesses {
		addInterfaceEndpoints(st, s, net, interfaceServices(b))
	}
	return net
}

// newFunctionsGroup creates the group of the functions, which may connect to the AWS APIs.
func newFunctionsGroup(st awscdk.Stack, s Settings, vpc awsec2.IVpc) awsec2.SecurityGroup {
	group := newSecurityGroup(st, vpc, "Functions", "The functions that connect to the database.")
	// Gateway endpoints keep the public addresses of S3 and DynamoDB, so the rule cannot name them;
	// in the stage's own network there is no route to other IPv4 addresses.
	group.AddEgressRule(awsec2.Peer_AnyIpv4(), awsec2.Port_Tcp(jsii.Number(443)), jsii.String("AWS APIs through the endpoints"), nil)
	if s.Access == ByIPv6 || s.BothAccesses {
		group.AddEgressRule(awsec2.Peer_AnyIpv6(), awsec2.Port_Tcp(jsii.Number(443)), jsii.String("AWS APIs by IPv6"), nil)
	}
	return group
}

// addIPv6 gives the functions' subnets IPv6 addresses, whether or not a route uses them: an address
// range in use cannot be removed from a subnet when a setting changes. The ranges are resources of
// their own, because CloudFormation may replace a subnet whose own range changes.
func addIPv6(st awscdk.Stack, own awsec2.Vpc, net network) {
	vpc := own.Node().DefaultChild().(awsec2.CfnVPC)
	block := awsec2.NewCfnVPCCidrBlock(own, jsii.String("ipv6cidr"), &awsec2.CfnVPCCidrBlockProps{
		VpcId: net.vpc.VpcId(), AmazonProvidedIpv6CidrBlock: jsii.Bool(true),
	})
	ranges := awscdk.Fn_Cidr(awscdk.Fn_Select(jsii.Number(0), vpc.AttrIpv6CidrBlocks()), jsii.Number(zones), jsii.String("64"))
	for i, subnet := range *net.vpc.SelectSubnets(selectSubnets(functionSubnets)).Subnets {
		addresses := awsec2.NewCfnSubnetCidrBlock(st, jsii.String("FunctionsIPv6"+strconv.Itoa(i)), &awsec2.CfnSubnetCidrBlockProps{
			SubnetId: subnet.SubnetId(), Ipv6CidrBlock: awscdk.Fn_Select(jsii.Number(float64(i)), ranges),
		})
		addresses.AddResourceDependency(block, nil)
	}
}

// addEgress lets the functions reach the AWS APIs over IPv6 through an egress-only gateway, which
// is free and admits no incoming connections.
func addEgress(st awscdk.Stack, own awsec2.Vpc, net network) {
	gateway := awsec2.NewCfnEgressOnlyInternetGateway(own, jsii.String("EIGW6"), &awsec2.CfnEgressOnlyInternetGatewayProps{VpcId: net.vpc.VpcId()})
	for i, subnet := range *net.vpc.SelectSubnets(selectSubnets(functionSubnets)).Subnets {
		awsec2.NewCfnRoute(st, jsii.String("WayOut"+strconv.Itoa(i)), &awsec2.CfnRouteProps{
			RouteTableId: subnet.RouteTable().RouteTableId(), DestinationIpv6CidrBlock: jsii.String("::/0"), EgressOnlyInternetGatewayId: gateway.Ref(),
		})
	}
}

// subnets keep their order and sizes: another address range would replace a subnet together with
// everything in it.
func subnets() *[]*awsec2.SubnetConfiguration {
	return &[]*awsec2.SubnetConfiguration{
		{Name: jsii.String(functionSubnets), SubnetType: awsec2.SubnetType_PRIVATE_ISOLATED, CidrMask: jsii.Number(23)},
		{Name: jsii.String(databaseSubnets), SubnetType: awsec2.SubnetType_PRIVATE_ISOLATED, CidrMask: jsii.Number(27)},
	}
}

func newSecurityGroup(st constructs.Construct, vpc awsec2.IVpc, id, description string) awsec2.SecurityGroup {
	return awsec2.NewSecurityGroup(st, jsii.String(id+"SecurityGroup"), &awsec2.SecurityGroupProps{
		Vpc: vpc, Description: jsii.String(description), AllowAllOutbound: jsii.Bool(false),
	})
}

// denyEgress limits a group to its explicit egress rules. EC2 gives a group without any egress
// rule one that allows all traffic.
func denyEgress(group awsec2.SecurityGroup) {
	group.Node().DefaultChild().(awsec2.CfnSecurityGroup).SetSecurityGroupEgress(&[]any{&awsec2.CfnSecurityGroup_EgressProperty{
		CidrIp: jsii.String("255.255.255.255/32"), IpProtocol: jsii.String("icmp"), FromPort: jsii.Number(252), ToPort: jsii.Number(86),
		Description: jsii.String("Nowhere"),
	}})
}

func newLogGroup(st constructs.Construct, s Settings, key awskms.IKey, id, name string) awslogs.LogGroup {
	return awslogs.NewLogGroup(st, jsii.String(id+"Logs"), &awslogs.LogGroupProps{
		LogGroupName:  jsii.String(name),
		Retention:     s.Stage.LogRetention,
		EncryptionKey: key,
		RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
}

func selectSubnets(group string) *awsec2.SubnetSelection {
	return &awsec2.SubnetSelection{SubnetGroupName: jsii.String(group)}
}

func addGatewayEndpoints(vpc awsec2.Vpc) {
	s3 := vpc.AddGatewayEndpoint(jsii.String("S3"), &awsec2.GatewayVpcEndpointOptions{Service: awsec2.GatewayVpcEndpointAwsService_S3()})
	dynamo := vpc.AddGatewayEndpoint(jsii.String("DynamoDB"), &awsec2.GatewayVpcEndpointOptions{Service: awsec2.GatewayVpcEndpointAwsService_DYNAMODB()})
	s3.AddToPolicy(accountPolicy())
	dynamo.AddToPolicy(accountPolicy())
}

func addInterfaceEndpoints(st awscdk.Stack, s Settings, net network, services []string) {
	group := newSecurityGroup(st, net.vpc, "Endpoints", "The endpoints of AWS services.")
	group.AddIngressRule(net.functions, awsec2.Port_Tcp(jsii.Number(443)), jsii.String("Functions"), nil)
	subnets := (*net.vpc.SelectSubnets(selectSubnets(functionSubnets)).Subnets)[:s.Stage.EndpointZones]
	for _, service := range services {
		endpoint := net.vpc.AddInterfaceEndpoint(jsii.String("Endpoint-"+service), &awsec2.InterfaceVpcEndpointOptions{
			Service:        awsec2.NewInterfaceVpcEndpointAwsService(jsii.String(service), nil, nil, nil),
			SecurityGroups: &[]awsec2.ISecurityGroup{group},
			Subnets:        &awsec2.SubnetSelection{Subnets: &subnets},
			Open:           jsii.Bool(false),
		})
		endpoint.AddToPolicy(accountPolicy())
	}
}

// accountPolicy limits an endpoint to calls by and to this account, so that data cannot be
// copied to a bucket or queue of another account.
func accountPolicy() awsiam.PolicyStatement {
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewAnyPrincipal()},
		Actions:    jsii.Strings("*"),
		Resources:  jsii.Strings("*"),
		Conditions: &map[string]any{"StringEquals": map[string]any{
			"aws:PrincipalAccount": awscdk.Aws_ACCOUNT_ID(),
			"aws:ResourceAccount":  awscdk.Aws_ACCOUNT_ID(),
		}},
	})
}

// interfaceServices are the services that functions in the network call and that have no gateway
// endpoint. S3 and DynamoDB have one; a function's URL is called by the client, and Lambda
// itself receives a queue's messages.
func interfaceServices(b *blueprint.Blueprint) []string {
	var services []string
	for _, f := range b.Functions {
		if !runsInNetwork(f) {
			continue
		}
		if f.Database == blueprint.AdminRole {
			services = append(services, "secretsmanager")
		}
		for _, g := range f.Grants {
			switch service, action, _ := strings.Cut(string(g.Actions[0]), ":"); {
			case service == "states", service == "events", service == "secretsmanager", action == "SendMessage":
				services = append(services, service)
			}
		}
	}
	slices.Sort(services)
	return slices.Compact(services)
}

// runsInNetwork reports whether a function runs in the network: those that connect to the
// database do. The others reach the internet and AWS directly.
func runsInNetwork(f blueprint.Function) bool {
	return f.Database != blueprint.NoDatabase
}
