package stack_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/cdk/stack"
)

// Functions that connect to the database are in the network, the others outside.
func TestFunctionsInTheNetwork(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			_, r := w.function(t, f.Name)
			if f.Database == blueprint.NoDatabase {
				require.NotContains(t, r.Properties, "VpcConfig", f.Name)
				continue
			}
			require.Len(t, nested(t, r.Properties, "VpcConfig", "SubnetIds"), 2, f.Name)
			require.Len(t, nested(t, r.Properties, "VpcConfig", "SecurityGroupIds"), 1, f.Name)
		}
	})
}

// Nothing in the network can reach the internet by IPv4, and with interface endpoints nothing can
// reach it at all.
func TestNetworkHasNoInternet(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		closed := []string{"AWS::EC2::NatGateway", "AWS::EC2::InternetGateway"}
		if !byIPv6(w) {
			closed = append(closed, "AWS::EC2::EgressOnlyInternetGateway", "AWS::EC2::Route")
		}
		for _, kind := range closed {
			require.Empty(t, w.ofType(kind), kind)
		}
		for id, subnet := range w.ofType("AWS::EC2::Subnet") {
			require.Equal(t, false, subnet.Properties["MapPublicIpOnLaunch"], id)
		}
	})
}

func byIPv6(w *stageTemplates) bool { return w.settings.Access == stack.ByIPv6 }

// The way to AWS is a setting of its own, private where the data is kept.
func TestDefaultAccess(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]stack.Access{"dev-serverless": stack.ByIPv6, "dev": stack.ByIPv6, "prod": stack.ByEndpoints, "prod-instance": stack.ByEndpoints} {
		require.Equal(t, want, synthesize(t, name).settings.Access, name)
	}
	require.Equal(t, stack.Serverless, synthesize(t, "prod").settings.Engine)
	require.Equal(t, stack.ByEndpoints, synthesize(t, "dev-cognito").settings.Access)
}

func TestEndpoints(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		got := map[string]string{}
		zones := map[string]int{"dev": 1, "prod": 2}[w.stage]
		for id, e := range w.ofType("AWS::EC2::VPCEndpoint") {
			got[strings.TrimPrefix(w.text(e.Properties["ServiceName"]), "com.amazonaws.${AWS::Region}.")] = w.text(e.Properties["VpcEndpointType"])
			condition := nested(t, e.Properties, "PolicyDocument", "Statement", 0, "Condition", "StringEquals")
			require.Equal(t, "${AWS::AccountId}", w.text(nested(t, condition, "aws:ResourceAccount")), id)
			require.Equal(t, "${AWS::AccountId}", w.text(nested(t, condition, "aws:PrincipalAccount")), id)
			if e.Properties["VpcEndpointType"] == "Interface" {
				require.Len(t, e.Properties["SubnetIds"], zones, id)
			}
		}
		want := map[string]string{"s3": "Gateway", "dynamodb": "Gateway"}
		if !byIPv6(w) {
			want["sqs"], want["states"], want["events"], want["secretsmanager"] = "Interface", "Interface", "Interface", "Interface"
		}
		require.Equal(t, want, got)
	})
}

// With awsAccess=ipv6, functions reach the AWS APIs over IPv6, through a gateway that is free and
// admits no incoming connections.
func TestIPv6Egress(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			_, r := w.function(t, f.Name)
			if f.Database != blueprint.NoDatabase && byIPv6(w) {
				require.Equal(t, "true", r.variables()["AWS_USE_DUALSTACK_ENDPOINT"], f.Name)
			} else {
				require.NotContains(t, r.variables(), "AWS_USE_DUALSTACK_ENDPOINT", f.Name)
			}
		}
		if !byIPv6(w) {
			return
		}
		gateway, _ := w.single(t, "AWS::EC2::EgressOnlyInternetGateway", "", "")
		require.Len(t, w.ofType("AWS::EC2::Route"), 2, "one route for the functions of each zone, none for the database")
		for id, route := range w.ofType("AWS::EC2::Route") {
			require.Equal(t, "${"+gateway+"}", w.text(route.Properties["EgressOnlyInternetGatewayId"]), id)
			require.Equal(t, "::/0", route.Properties["DestinationIpv6CidrBlock"], id)
		}
	})
}

// While functions change from one way to the other, both exist.
func TestBothAccesses(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev-moving")
	require.Len(t, w.ofType("AWS::EC2::EgressOnlyInternetGateway"), 1)
	require.Len(t, w.ofType("AWS::EC2::VPCEndpoint"), 6)
}

// The functions' subnets have IPv6 addresses in every variant, so that no setting removes a range
// in use. The ranges are no properties of the subnets, whose change might replace them.
func TestFunctionSubnetsAreDualStack(t *testing.T) {
	runAll(t, func(t *testing.T, w *stageTemplates) {
		if w.settings.Network != nil {
			return // TestExistingNetwork
		}
		block, _ := w.single(t, "AWS::EC2::VPCCidrBlock", "", "")
		var with []string
		for id, addresses := range w.ofType("AWS::EC2::SubnetCidrBlock") {
			require.Contains(t, addresses.DependsOn, block, id)
			with = append(with, w.text(addresses.Properties["SubnetId"]))
		}
		for _, f := range w.blueprint.Functions {
			_, r := w.function(t, f.Name)
			if f.Database == blueprint.NoDatabase {
				continue
			}
			require.Equal(t, true, nested(t, r.Properties, "VpcConfig", "Ipv6AllowedForDualStack"), f.Name)
			require.ElementsMatch(t, with, w.textList(nested(t, r.Properties, "VpcConfig", "SubnetIds")), f.Name)
		}
		for id, subnet := range w.ofType("AWS::EC2::Subnet") {
			require.NotContains(t, subnet.Properties, "Ipv6CidrBlock", id)
		}
	})
}

// Outside the network, functions may connect to the ports that addresses may use
// (shared/notify/outbound); the port without TLS only if there is a route.
func TestEgressPorts(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		var ports []string
		for _, g := range w.ofType("AWS::EC2::SecurityGroup") {
			if w.text(g.Properties["GroupDescription"]) != "The functions that connect to the database." {
				continue
			}
			for _, rule := range g.Properties["SecurityGroupEgress"].([]any) {
				require.Equal(t, nested(t, rule, "FromPort"), nested(t, rule, "ToPort"))
				ports = append(ports, w.text(nested(t, rule, "CidrIp"))+w.text(nested(t, rule, "CidrIpv6"))+" "+w.text(nested(t, rule, "ToPort")))
			}
		}
		want := []string{"0.0.0.0/0 443"}
		if byIPv6(w) {
			want = append(want, "::/0 443")
		}
		slices.Sort(ports)
		require.Equal(t, want, ports)
	})
}

// Security groups allow only the listed egress: EC2 gives a group without any rule one that
// allows all traffic.
func TestEgressIsLimitedToRules(t *testing.T) {
	runAll(t, func(t *testing.T, w *stageTemplates) {
		for id, g := range w.ofType("AWS::EC2::SecurityGroup") {
			rules, _ := g.Properties["SecurityGroupEgress"].([]any)
			require.NotEmpty(t, rules, id)
			for _, rule := range rules {
				require.NotEqual(t, "-1", nested(t, rule, "IpProtocol"), id)
			}
		}
	})
}

// Only the functions and the proxy reach Postgres, only the functions reach the endpoints, and
// no rule names an IP address.
func TestSecurityGroupRules(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for id, g := range w.ofType("AWS::EC2::SecurityGroup") {
			require.NotContains(t, g.Properties, "SecurityGroupIngress", id)
		}
		group := func(reference any) string {
			id := strings.TrimSuffix(strings.TrimPrefix(w.text(reference), "${"), ".GroupId}")
			return strings.TrimSuffix(w.text(w.resources[id].Properties["GroupDescription"]), ".")
		}
		got := map[string]bool{}
		for id, rule := range w.ofType("AWS::EC2::SecurityGroupIngress") {
			require.NotContains(t, rule.Properties, "CidrIp", id)
			port := w.text(rule.Properties["ToPort"])
			if strings.Contains(port, "Endpoint.Port") {
				port = "5432" // the database's own group
			}
			got[group(rule.Properties["SourceSecurityGroupId"])+" → "+group(rule.Properties["GroupId"])+" "+port] = true
		}
		want := map[string]bool{"The functions that connect to the database → Postgres 5432": true}
		if !scalesToZero(w) {
			want["The functions that connect to the database → The pool of connections to Postgres 5432"] = true
			want["The pool of connections to Postgres → Postgres 5432"] = true
		}
		if !byIPv6(w) {
			want["The functions that connect to the database → The endpoints of AWS services 443"] = true
		}
		require.Equal(t, want, got)
		require.Len(t, w.ofType("AWS::EC2::SecurityGroupIngress"), len(got), "EC2 refuses the same rule twice")
	})
}
