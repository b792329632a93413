package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
)

// zones is the number of the network's availability zones.
const zones = 2

// Stage contains the sizes of a deployment and the importance of its data.
type Stage struct {
	Name string
	// RetainData makes data survive the stack: protected from deletion, retained or snapshotted on
	// removal, in two availability zones.
	RetainData bool
	Engine     Engine
	// InstanceType and Storage (GiB) are for an instance, the capacity (ACU) for Aurora Serverless
	// v2.
	InstanceType        string
	Storage, MaxStorage float64
	MaxCapacity         float64
	// MaxConnections of the database, set explicitly so that the budget of connections (database.go)
	// and its alarm do not depend on the instance class.
	MaxConnections int
	BackupDays     float64
	LogRetention   awslogs.RetentionDays
	// EndpointZones is the number of zones in which each interface endpoint has an address; each
	// address is billed by the hour.
	EndpointZones int
	// Rate and Burst limit the API's requests per second, over all callers.
	Rate, Burst float64
}

func stages() map[string]Stage {
	return map[string]Stage{
		"dev": {
			Name: "dev", Engine: Serverless,
			InstanceType: "t4g.small", Storage: 20, MaxStorage: 50, MaxCapacity: 4,
			MaxConnections: 175, BackupDays: 1,
			LogRetention: awslogs.RetentionDays_ONE_WEEK, EndpointZones: 1,
			Rate: 20, Burst: 40,
		},
		"prod": {
			Name: "prod", Engine: Instance, RetainData: true,
			InstanceType: "m7g.large", Storage: 100, MaxStorage: 1000, MaxCapacity: 16,
			MaxConnections: 400, BackupDays: 14,
			LogRetention: awslogs.RetentionDays_THREE_MONTHS, EndpointZones: zones,
			Rate: 200, Burst: 400,
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
