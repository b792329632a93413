package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
)

// zones is the number of the network's availability zones.
const zones = 2

// Access is how functions in the network reach the AWS APIs other than S3 and DynamoDB, which have
// gateway endpoints.
type Access string

// The ways to the AWS APIs.
const (
	// ByEndpoints is through interface endpoints, which are billed by the hour and admit only calls
	// within the account. There is no other way out of the network.
	ByEndpoints Access = "endpoints"
	// ByIPv6 is through an egress-only gateway, which is free and leads to every IPv6 address.
	ByIPv6 Access = "ipv6"
)

// Stage contains the sizes of a deployment and the importance of its data.
type Stage struct {
	Name string
	// RetainData makes data survive the stack: protected from deletion, retained or snapshotted on
	// removal, in two availability zones.
	RetainData bool
	Engine     Engine
	Access     Access
	// InstanceType ("instanceType") and Storage (GiB) are for an instance, the capacity (ACU) for
	// Aurora Serverless v2. With a MinCapacity ("minCapacity") it does not pause.
	InstanceType             string
	Storage, MaxStorage      float64
	MinCapacity, MaxCapacity float64
	// MaxConnections of the database, set explicitly so that the budget of connections (database.go)
	// and its alarm do not depend on the instance class.
	MaxConnections int
	BackupDays     float64
	LogRetention   awslogs.RetentionDays
	// EndpointZones is the number of zones in which each interface endpoint has an address; each
	// address is billed by the hour.
	EndpointZones int
	// Budget is the cost of a month in US dollars about which somebody is warned.
	Budget float64
	// Rate and Burst limit the API's requests per second, over all callers.
	Rate, Burst float64
}

func stages() map[string]Stage {
	return map[string]Stage{
		"dev": {
			Name: "dev", Engine: Serverless, Access: ByIPv6,
			InstanceType: "t4g.small", Storage: 20, MaxStorage: 50, MaxCapacity: 4,
			MaxConnections: 175, BackupDays: 1,
			LogRetention: awslogs.RetentionDays_ONE_WEEK, EndpointZones: 1,
			Budget: 20,
			Rate:   20, Burst: 40,
		},
		"prod": {
			Name: "prod", Engine: Instance, Access: ByEndpoints, RetainData: true,
			InstanceType: "m7g.large", Storage: 100, MaxStorage: 1000, MaxCapacity: 16,
			MaxConnections: 400, BackupDays: 14,
			LogRetention: awslogs.RetentionDays_THREE_MONTHS, EndpointZones: zones,
			Budget: 600,
			Rate:   200, Burst: 400,
		},
	}
}

// removalPolicy determines whether resources with data are retained when their stack is deleted.
func (s Stage) removalPolicy() awscdk.RemovalPolicy {
	if s.RetainData {
		return awscdk.RemovalPolicy_RETAIN
	}
	return awscdk.RemovalPolicy_DESTROY
}
