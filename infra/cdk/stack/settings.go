package stack

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/aws/rds/rdsca"
)

// Settings are the options of a deployment, given as CDK context: by -c key=value, or as JSON in
// CDK_CONTEXT_JSON without the CLI.
type Settings struct {
	Stage Stage
	// Cell lets a stage stand several times in an account and region, each time with a database of its
	// own: "cell", at most ten lower-case letters and digits. It is part of every name.
	Cell string
	// Engine and Number identify the database that the service uses: context "database"
	// ("serverless", "instance-2"), by default the first of the stage's own kind.
	Engine Engine
	Number int
	// ExtraDatabase is an additional, unused database: context "databaseBeside". Rows are copied
	// between the two (docs/runbook.md#moving-the-database).
	ExtraDatabase *DatabaseID
	// Postgres is the major version of the database that the service uses: "postgres", which is 16, 17
	// or 18, by default 16. ExtraPostgres is that of the additional one: "postgresBeside", by default
	// the same. RDS chooses the minor version and upgrades it automatically; a template with a minor
	// version would try to downgrade it. It refuses another major version of an existing database.
	Postgres, ExtraPostgres string
	// Dashboard creates the dashboard, which costs $3 a month: "dashboard", by default in stages with
	// retained data.
	Dashboard bool
	// Tracing sends a trace of every call to X-Ray: "tracing". The logs name the import in any case.
	Tracing bool
	// Zones are the two availability zones of the network: "zones", comma-separated, by default the
	// first two of the region. Lambda is not available in use1-az3. They cannot change later.
	Zones []string
	// Network and ExistingDatabase replace those that the stage would create.
	Network          *ExistingNetwork
	ExistingDatabase *ExistingDatabase
	// KeyARN is the key that encrypts everything, instead of one that the stage creates: "kmsKeyArn".
	// Its policy has to admit the services of AWS that docs/deploying.md lists.
	KeyARN string
	// BackupCopies is the ARN of a backup vault in another region, which receives daily copies of the
	// data: "backupCopies".
	BackupCopies string
	// PermissionsBoundary is the name of a policy that limits every role: "permissionsBoundary".
	PermissionsBoundary string
	// Access is how functions in the network reach the AWS APIs: "awsAccess", by default that of the
	// stage.
	Access Access
	// BothAccesses keeps the other way as well, while functions change from one to the other:
	// "awsAccessBeside".
	BothAccesses bool
	// Issuer and Audience are those of accepted API tokens: "jwtIssuer" (a URL with a discovery
	// document) and "jwtAudience" (comma-separated).
	Issuer   string
	Audience []string
	// UserPool creates a user pool for the stage, instead of Issuer and Audience: "auth", which is
	// "cognito" or omitted.
	UserPool bool
	// APIKeys adds the routes for callers with API keys, which the API checks itself instead of the
	// authorizer: "apiKeys".
	APIKeys bool
	// Origins may call the API and upload from browsers: "corsOrigins", comma-separated.
	Origins []string
	// WithoutConsole omits the console and its distribution, which CloudFront refuses to accounts that
	// it has not verified: "console", which is "none" or omitted. The API has its own address.
	WithoutConsole bool
	// ConsoleDomain is the console's own name, with ConsoleCertificate, the ARN of a certificate for
	// it in us-east-1: "consoleDomain", "consoleCertificate". By default it has the name that
	// CloudFront assigns.
	ConsoleDomain, ConsoleCertificate string
	// AuthOrigins are the origins from which the console requests tokens, comma-separated:
	// "authOrigins", if the issuer's endpoints have another origin than the issuer, as in Cognito.
	AuthOrigins []string
	// AlarmEmail receives alarms: "alarmEmail". Without it, or with "none", the topic has no subscriber.
	AlarmEmail string
	// MonthlyBudget is the cost of the whole account in US dollars about which AlarmEmail is warned:
	// "monthlyBudget", by default that of the stage; 0 for no warning.
	MonthlyBudget float64
	// RunbookURL is the address of docs/runbook.md: "runbookUrl".
	RunbookURL string
	// AllAtOnce releases api to all callers at once, even while an alarm is active: "atOnce".
	AllAtOnce bool
	// Assets is the folder that contains a folder with the bootstrap of each function: "assets".
	Assets string
	// Functions are settings of the functions by their variables, each with a context key of its
	// own: "QUOTA_OPEN_IMPORTS". The blueprint defines the possible ones.
	Functions map[string]string
	// SAM declares the variables with which sam local configures an endpoint and a database on this
	// machine: "sam". sam sets no variable that the template does not declare.
	SAM bool
}

// cellPattern limits cells to names with which bucket names, the longest, have at most 63 characters.
var cellPattern = regexp.MustCompile(`^[a-z][a-z0-9]{0,9}$`)

// placeholderIssuer lets a clean clone synthesize. API Gateway requests the issuer's discovery
// document, so a deployment with this one fails before it serves requests.
const placeholderIssuer = "https://issuer.invalid/"

const defaultRunbook = "https://github.com/loadbay/loadbay/blob/main/docs/runbook.md"

// SettingsFromContext reads the settings from the app's context and reports every error in them.
func SettingsFromContext(node constructs.Node) (Settings, error) {
	ctx := contextReader{node: node}
	s := Settings{
		Issuer:      ctx.text("jwtIssuer", placeholderIssuer),
		Audience:    ctx.list("jwtAudience", "loadbay"),
		Origins:     ctx.list("corsOrigins", ""),
		AuthOrigins: ctx.list("authOrigins", ""),
		AlarmEmail:  ctx.text("alarmEmail", ""),

		ConsoleDomain: ctx.text("consoleDomain", ""), ConsoleCertificate: ctx.text("consoleCertificate", ""),

		RunbookURL: ctx.text("runbookUrl", defaultRunbook),
		Assets:     ctx.text("assets", "bin/lambda"),
		SAM:        ctx.flag("sam", false),

		BothAccesses: ctx.flag("awsAccessBeside", false),
		Zones:        ctx.list("zones", ""),

		Tracing: ctx.flag("tracing", false),
		APIKeys: ctx.flag("apiKeys", false),

		PermissionsBoundary: ctx.text("permissionsBoundary", ""),
		KeyARN:              ctx.text("kmsKeyArn", ""),
		BackupCopies:        ctx.text("backupCopies", ""),
		AllAtOnce:           ctx.flag("atOnce", false),
	}
	s.Functions = make(map[string]string)
	for _, name := range blueprint.New().Settings() {
		s.Functions[name] = ctx.text(name, "")
	}
	if s.AlarmEmail == "none" {
		s.AlarmEmail = ""
	}
	s.UserPool = ctx.userPool()
	s.WithoutConsole = ctx.withoutConsole()
	ctx.removed("natGateways", "no function in the network needs the internet, and adding a gateway to an existing network fails")
	if s.Functions[blueprint.AuthIssuer] == "" && !s.UserPool {
		s.Functions[blueprint.AuthIssuer] = s.Issuer
	}
	s.Stage = ctx.stage()
	if s.Cell = ctx.text("cell", ""); s.Cell != "" {
		ctx.match("cell", s.Cell, cellPattern, "a letter and up to nine letters and digits, in lower case")
	}
	chosen := ctx.chosenDatabase(string(s.Stage.Engine))
	s.Engine, s.Number = chosen.Engine, chosen.Number
	s.Network, s.ExistingDatabase = ctx.existingNetwork(), ctx.existingDatabase()
	if s.KeyARN != "" {
		ctx.match("kmsKeyArn", s.KeyARN, keyPattern, "the ARN of a KMS key (an alias has another)")
	}
	if s.BackupCopies != "" {
		ctx.match("backupCopies", s.BackupCopies, vaultPattern, "the ARN of a backup vault in another region")
	}
	s.MonthlyBudget = ctx.dollars("monthlyBudget", s.Stage.Budget)
	if s.Network != nil {
		s.Access = ctx.access(ByEndpoints) // or whatever way the network has
	} else {
		s.Access = ctx.access(s.Stage.Access)
	}
	s.Dashboard = ctx.flag("dashboard", s.Stage.RetainData)
	s.Stage.InstanceType = ctx.text("instanceType", s.Stage.InstanceType)
	s.Stage.MinCapacity = ctx.capacity("minCapacity", s.Stage.MaxCapacity)
	if ctx.text("databaseBeside", "") != "" {
		beside := ctx.databaseID("databaseBeside", "")
		s.ExtraDatabase = &beside
	}
	s.Postgres = ctx.postgres("postgres", "16")
	s.ExtraPostgres = ctx.postgres("postgresBeside", s.Postgres)
	return s, errors.Join(append(ctx.errs, s.validate())...)
}

func (s Settings) validate() error {
	errs := append(s.checkSignIn(), s.checkExisting()...)
	if s.ExtraDatabase != nil && *s.ExtraDatabase == s.Database() {
		errs = append(errs, fmt.Errorf("context databaseBeside: %s is the active database", s.ExtraDatabase))
	}
	if len(s.Zones) != 0 && len(s.Zones) != zones {
		errs = append(errs, fmt.Errorf("context zones: %d zones, but the network has %d", len(s.Zones), zones))
	}
	if s.WithoutConsole && s.ConsoleDomain != "" {
		errs = append(errs, errors.New("context consoleDomain: console=none has no console, so omit one of them"))
	}
	if (s.ConsoleDomain == "") != (s.ConsoleCertificate == "") {
		errs = append(errs, errors.New("context consoleDomain, consoleCertificate: both are required"))
	}
	for _, origin := range s.AuthOrigins {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "https" || u.Host == "" || origin != "https://"+u.Host {
			errs = append(errs, fmt.Errorf("context authOrigins: %q is not an https origin", origin))
		}
	}
	return errors.Join(errs...)
}

func (s Settings) checkSignIn() []error {
	if s.UserPool {
		return s.checkUserPool()
	}
	var errs []error
	if !strings.HasPrefix(s.Issuer, "https://") {
		errs = append(errs, fmt.Errorf("context jwtIssuer: %q is not an https URL", s.Issuer))
	}
	if s.Stage.RetainData && s.Issuer == placeholderIssuer {
		errs = append(errs, fmt.Errorf("context jwtIssuer: required for stage %s, or use -c auth=cognito", s.Stage.Name))
	}
	if len(s.Audience) == 0 {
		errs = append(errs, errors.New("context jwtAudience: empty"))
	}
	return errs
}

// checkUserPool rejects settings that the user pool determines itself.
func (s Settings) checkUserPool() []error {
	var errs []error
	if s.Issuer != placeholderIssuer {
		errs = append(errs, errors.New("context jwtIssuer: the user pool of auth=cognito is the issuer"))
	}
	for _, name := range blueprint.IssuerSettings() {
		if s.Functions[name] != "" {
			errs = append(errs, fmt.Errorf("context %s: determined by the user pool of auth=cognito", name))
		}
	}
	return errs
}

// Blueprint returns the blueprint that the settings deploy.
func (s Settings) Blueprint() *blueprint.Blueprint {
	b := blueprint.New()
	if s.UserPool {
		return b.WithUserPool()
	}
	return b
}

// scalesToZero reports whether the capacity of the database follows the load, and nothing keeps it
// awake.
func (s Settings) scalesToZero() bool { return s.Engine == Serverless }

// pauses reports whether the database pauses while it is not used.
func (s Settings) pauses() bool { return s.scalesToZero() && s.Stage.MinCapacity == 0 }

// Database returns the database that the service uses.
func (s Settings) Database() DatabaseID { return DatabaseID{Engine: s.Engine, Number: s.Number} }

// withDatabase returns the settings with another database in use.
func (s Settings) withDatabase(c DatabaseID) Settings {
	s.Engine, s.Number = c.Engine, c.Number
	return s
}

// databaseName is the name of the database in RDS.
func (s Settings) databaseName() string { return s.resourceName("loadbay-" + s.Database().String()) }

// CheckRegion rejects regions with database certificates that the functions would not trust. The
// CDK CLI provides its region; "" means none.
func CheckRegion(region string) error {
	if region == "" {
		return nil
	}
	covered, err := rdsca.Covers(region)
	if err == nil && !covered {
		err = fmt.Errorf("region %s: shared/aws/rds/rdsca has no certificate authority for its databases; add the root certificate first", region)
	}
	return err
}

// deployment returns the stage's deployment; CloudFormation fills in account and region.
func (s Settings) deployment() blueprint.Deployment {
	return blueprint.Deployment{
		Partition: *awscdk.Aws_PARTITION(), Region: *awscdk.Aws_REGION(), Account: *awscdk.Aws_ACCOUNT_ID(), Stage: s.stageName(),
	}
}

// stageName is the name of the stage and its cell, such as "prod-north", in which all names end.
func (s Settings) stageName() string { return blueprint.StageName(s.Stage.Name, s.Cell) }

// resourceName returns the physical name of the resource that the blueprint calls base.
func (s Settings) resourceName(base string) string { return s.deployment().Name(base) }

// functionName is the name of a function on AWS.
func (s Settings) functionName(function string) string { return s.deployment().Function(function) }

// contextReader reads context values, which are strings from the command line and any JSON value
// from a file, and collects their errors.
type contextReader struct {
	node constructs.Node
	errs []error
}

func (r *contextReader) text(key, otherwise string) string {
	v := r.node.TryGetContext(jsii.String(key))
	if v == nil {
		return otherwise
	}
	return fmt.Sprint(v)
}

func (r *contextReader) list(key, otherwise string) []string {
	var items []string
	for _, item := range strings.Split(r.text(key, otherwise), ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// removed reports a setting that no longer exists, instead of ignoring it.
func (r *contextReader) removed(key, why string) {
	if r.node.TryGetContext(jsii.String(key)) != nil {
		r.errs = append(r.errs, fmt.Errorf("context %s: removed, because %s", key, why))
	}
}

// capacity reads a number of ACU, which Aurora allows in steps of a half.
func (r *contextReader) capacity(key string, most float64) float64 {
	n, err := strconv.ParseFloat(r.text(key, "0"), 64)
	if err != nil || n < 0 || n > most || n*2 != math.Trunc(n*2) {
		r.errs = append(r.errs, fmt.Errorf("context %s: %q is not a number of ACU from 0 to %g in steps of 0.5", key, r.text(key, "0"), most))
	}
	return n
}

func (r *contextReader) dollars(key string, otherwise float64) float64 {
	n, err := strconv.ParseFloat(r.text(key, strconv.FormatFloat(otherwise, 'f', -1, 64)), 64)
	if err != nil || n < 0 || n > 1e9 {
		r.errs = append(r.errs, fmt.Errorf("context %s: %q is not an amount of US dollars; 0 sets no budget", key, r.text(key, "")))
	}
	return n
}

func (r *contextReader) flag(key string, otherwise bool) bool {
	b, err := strconv.ParseBool(r.text(key, strconv.FormatBool(otherwise)))
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("context %s: %w", key, err))
	}
	return b
}

func (r *contextReader) userPool() bool {
	switch v := r.text("auth", ""); v {
	case "", "cognito":
		return v != ""
	default:
		r.errs = append(r.errs, fmt.Errorf("context auth: %q is not cognito; omit it to use your own issuer (jwtIssuer)", v))
		return false
	}
}

func (r *contextReader) withoutConsole() bool {
	v := r.text("console", "")
	if v != "" && v != "none" {
		r.errs = append(r.errs, fmt.Errorf("context console: %q is not none; omit it for the console", v))
	}
	return v == "none"
}

func (r *contextReader) access(otherwise Access) Access {
	chosen := Access(r.text("awsAccess", string(otherwise)))
	if chosen != ByEndpoints && chosen != ByIPv6 {
		r.errs = append(r.errs, fmt.Errorf("context awsAccess: %q is neither %s nor %s", chosen, ByEndpoints, ByIPv6))
	}
	return chosen
}

// chosenDatabase is the database that the stage uses. One that exists is neither created nor paused.
func (r *contextReader) chosenDatabase(otherwise string) DatabaseID {
	if r.text("databaseHost", "") == "" {
		return r.databaseID("database", otherwise)
	}
	if r.text("database", "") != "" {
		r.errs = append(r.errs, errors.New("context database: databaseHost is the database, so omit one of them"))
	}
	return DatabaseID{Engine: Instance, Number: 1}
}

func (r *contextReader) databaseID(key, otherwise string) DatabaseID {
	c, err := parseDatabaseID(r.text(key, otherwise))
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("context %s: %w", key, err))
	}
	return c
}

func (r *contextReader) postgres(key, otherwise string) string {
	v := r.text(key, otherwise)
	if v != "16" && v != "17" && v != "18" {
		r.errs = append(r.errs, fmt.Errorf("context %s: %q is none of 16, 17 and 18", key, v))
	}
	return v
}

func (r *contextReader) stage() Stage {
	name := r.text("stage", "dev")
	stage, ok := stages()[name]
	if !ok {
		r.errs = append(r.errs, fmt.Errorf("context stage: %q is neither dev nor prod", name))
	}
	return stage
}
