package stack

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/jsii-runtime-go"
)

// ExistingNetwork is a network that the stage uses instead of its own: context "vpcId", with two
// subnets each for "functionSubnets" and, unless the database exists too, "databaseSubnets". The
// stage adds only security groups to it: routes and endpoints to the AWS APIs belong to its owner.
type ExistingNetwork struct {
	ID                   string
	Functions, Databases []string
}

// ExistingDatabase is a database that the stage uses instead of its own: context "databaseHost",
// with "databaseResourceId" (db-… or cluster-…, for signing in with IAM), "databaseSecretArn" (user
// and password of the schema's owner), "databaseSecretKeyArn" if the secret has a key of its own, and
// "databaseSecurityGroup". "databaseName" is its name in Postgres, by default loadbay.
type ExistingDatabase struct {
	Host, ResourceID, SecretARN, SecretKeyARN, SecurityGroup string
	Name                                                     string
}

var (
	vpcPattern    = regexp.MustCompile(`^vpc-[0-9a-f]{8,17}$`)
	subnetPattern = regexp.MustCompile(`^subnet-[0-9a-f]{8,17}$`)
	groupPattern  = regexp.MustCompile(`^sg-[0-9a-f]{8,17}$`)
	keyPattern    = regexp.MustCompile(`^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/[0-9a-zA-Z-]+$`)
	secretPattern = regexp.MustCompile(`^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:\S+$`)
	vaultPattern  = regexp.MustCompile(`^arn:aws[a-z-]*:backup:([a-z0-9-]+):\d{12}:backup-vault:\S+$`)
	idPattern     = regexp.MustCompile(`^(db|cluster)-[A-Z0-9]+$`)
	// hostPattern has the identifier of an instance or cluster, and what follows it. Only these
	// names are in the certificates of RDS; the endpoints of readers cannot write.
	hostPattern     = regexp.MustCompile(`^([a-z][a-z0-9-]*)\.(cluster-)?[a-z0-9]+\.[a-z0-9-]+\.rds\.amazonaws\.com(?:\.cn)?$`)
	postgresPattern = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)
)

func (r *contextReader) existingNetwork() *ExistingNetwork {
	n := ExistingNetwork{ID: r.text("vpcId", ""), Functions: r.list("functionSubnets", ""), Databases: r.list("databaseSubnets", "")}
	if n.ID == "" && len(n.Functions) == 0 && len(n.Databases) == 0 {
		return nil
	}
	r.match("vpcId", n.ID, vpcPattern, "the id of a VPC, such as vpc-0123456789abcdef0")
	for key, subnets := range map[string][]string{"functionSubnets": n.Functions, "databaseSubnets": n.Databases} {
		for _, subnet := range subnets {
			r.match(key, subnet, subnetPattern, "the id of a subnet, such as subnet-0123456789abcdef0")
		}
	}
	return &n
}

func (r *contextReader) existingDatabase() *ExistingDatabase {
	d := ExistingDatabase{
		Host: r.text("databaseHost", ""), ResourceID: r.text("databaseResourceId", ""), SecurityGroup: r.text("databaseSecurityGroup", ""),
		SecretARN: r.text("databaseSecretArn", ""), SecretKeyARN: r.text("databaseSecretKeyArn", ""), Name: r.text("databaseName", databaseName),
	}
	if d == (ExistingDatabase{Name: databaseName}) {
		return nil
	}
	r.match("databaseHost", d.Host, hostPattern, "the endpoint of an RDS instance or the writer of an Aurora cluster, without a port")
	r.match("databaseResourceId", d.ResourceID, idPattern, "the resource id of the database (db-… or cluster-…), by which IAM names it")
	r.match("databaseSecretArn", d.SecretARN, secretPattern, "the ARN of the secret with user and password of the schema's owner")
	r.match("databaseSecurityGroup", d.SecurityGroup, groupPattern, "the id of the database's security group (sg-…)")
	r.match("databaseName", d.Name, postgresPattern, "the name of a database in Postgres")
	if d.SecretKeyARN != "" {
		r.match("databaseSecretKeyArn", d.SecretKeyARN, keyPattern, "the ARN of a KMS key")
	}
	return &d
}

// match reports a value that is not what the setting needs.
func (r *contextReader) match(key, value string, pattern *regexp.Regexp, what string) {
	if !pattern.MatchString(value) {
		r.errs = append(r.errs, fmt.Errorf("context %s: %q is not %s", key, value, what))
	}
}

// checkExisting rejects combinations of an existing network or database with other settings.
func (s Settings) checkExisting() []error {
	var errs []error
	if n := s.Network; n != nil {
		if len(n.Functions) != zones {
			errs = append(errs, fmt.Errorf("context functionSubnets: %d subnets, but functions need %d, in two zones", len(n.Functions), zones))
		}
		switch {
		case s.ExistingDatabase != nil && len(n.Databases) > 0:
			errs = append(errs, errors.New("context databaseSubnets: databaseHost has its own subnets"))
		case s.ExistingDatabase == nil && len(n.Databases) != zones:
			errs = append(errs, fmt.Errorf("context databaseSubnets: %d subnets, but the database needs %d, in two zones", len(n.Databases), zones))
		}
	}
	if s.ExistingDatabase == nil {
		return errs
	}
	if s.Network == nil {
		errs = append(errs, errors.New("context databaseHost: set vpcId too, a network from which the database can be reached"))
	}
	if s.ExtraDatabase != nil || s.Stage.MinCapacity > 0 {
		errs = append(errs, errors.New("context databaseHost: databaseBeside and minCapacity are for databases that the stage creates"))
	}
	return errs
}

// hasInstance reports whether the stage creates an RDS instance.
func (s Settings) hasInstance() bool { return s.Engine == Instance && s.ExistingDatabase == nil }

// postgresName is the name of the database in Postgres.
func (s Settings) postgresName() string {
	if s.ExistingDatabase != nil {
		return s.ExistingDatabase.Name
	}
	return databaseName
}

// importNetwork refers to the existing network and adds the functions' security group.
func importNetwork(st awscdk.Stack, s Settings) network {
	n := s.Network
	names := []string{functionSubnets}
	if len(n.Databases) > 0 {
		names = append(names, databaseSubnets)
	}
	// The zones are needed for their number only: subnets are chosen by their names.
	attributes := &awsec2.VpcAttributes{
		VpcId: jsii.String(n.ID), AvailabilityZones: &[]*string{awscdk.Fn_Select(jsii.Number(0), awscdk.Fn_GetAzs(nil)), awscdk.Fn_Select(jsii.Number(1), awscdk.Fn_GetAzs(nil))},
		IsolatedSubnetIds: jsii.Strings(append(append([]string{}, n.Functions...), n.Databases...)...), IsolatedSubnetNames: jsii.Strings(names...),
	}
	vpc := awsec2.Vpc_FromVpcAttributes(st, jsii.String("Vpc"), attributes)
	return network{vpc: vpc, functions: newFunctionsGroup(st, s, vpc)}
}

// importDatabase refers to the existing database and lets functions connect to it.
func importDatabase(st awscdk.Stack, s Settings, net network) database {
	d := s.ExistingDatabase
	group := awsec2.SecurityGroup_FromSecurityGroupId(st, jsii.String("ExistingDatabase"), jsii.String(d.SecurityGroup), &awsec2.SecurityGroupImportOptions{AllowAllOutbound: jsii.Bool(true)})
	allowPostgres(net.functions, group)
	direct := databaseEndpoint{host: jsii.String(d.Host), resourceID: jsii.String(d.ResourceID)}
	return database{direct: direct, pooled: direct, secret: jsii.String(d.SecretARN), metrics: d.metrics()}
}

// metrics identifies the database by the first label of its endpoint.
func (d ExistingDatabase) metrics() databaseMetrics {
	identifier, rest, _ := strings.Cut(d.Host, ".")
	if strings.HasPrefix(rest, "cluster-") {
		return databaseMetrics{clusterDimension, jsii.String(identifier)}
	}
	return databaseMetrics{instanceDimension, jsii.String(identifier)}
}
