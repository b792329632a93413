package stack

import (
	"errors"
	"fmt"
	"net/url"
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
	// Engine and Number identify the database that the service uses: context "database"
	// ("serverless", "instance-2"), by default the first of the stage's own kind.
	Engine Engine
	Number int
	// ExtraDatabase is an additional, unused database: context "databaseBeside". Rows are copied
	// between the two (docs/runbook.md#moving-the-database).
	ExtraDatabase *DatabaseID
	// Issuer and Audience are those of accepted API tokens: "jwtIssuer" (a URL with a discovery
	// document) and "jwtAudience" (comma-separated).
	Issuer   string
	Audience []string
	// UserPool creates a user pool for the stage, instead of Issuer and Audience: "auth", which is
	// "cognito" or omitted.
	UserPool bool
	// Origins may call the API and upload from browsers: "corsOrigins", comma-separated.
	Origins []string
	// ConsoleDomain is the console's own name, with ConsoleCertificate, the ARN of a certificate for
	// it in us-east-1: "consoleDomain", "consoleCertificate". By default it has the name that
	// CloudFront assigns.
	ConsoleDomain, ConsoleCertificate string
	// AuthOrigins are the origins from which the console requests tokens, comma-separated:
	// "authOrigins", if the issuer's endpoints have another origin than the issuer, as in Cognito.
	AuthOrigins []string
	// AlarmEmail receives alarms: "alarmEmail". Without it, or with "none", the topic has no subscriber.
	AlarmEmail string
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
		SAM:        ctx.flag("sam"),
		AllAtOnce:  ctx.flag("atOnce"),
	}
	s.Functions = make(map[string]string)
	for _, name := range blueprint.New().Settings() {
		s.Functions[name] = ctx.text(name, "")
	}
	if s.AlarmEmail == "none" {
		s.AlarmEmail = ""
	}
	s.UserPool = ctx.userPool()
	ctx.removed("natGateways", "no function in the network needs the internet, and adding a gateway to an existing network fails")
	if s.Functions[blueprint.AuthIssuer] == "" && !s.UserPool {
		s.Functions[blueprint.AuthIssuer] = s.Issuer
	}
	s.Stage = ctx.stage()
	chosen := ctx.databaseID("database", string(s.Stage.Engine))
	s.Engine, s.Number = chosen.Engine, chosen.Number
	if ctx.text("databaseBeside", "") != "" {
		beside := ctx.databaseID("databaseBeside", "")
		s.ExtraDatabase = &beside
	}
	return s, errors.Join(append(ctx.errs, s.validate())...)
}

func (s Settings) validate() error {
	errs := s.checkSignIn()
	if s.ExtraDatabase != nil && *s.ExtraDatabase == s.Database() {
		errs = append(errs, fmt.Errorf("context databaseBeside: %s is the active database", s.ExtraDatabase))
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

// scalesToZero reports whether the deployment costs almost nothing while idle: its database
// pauses, and nothing in it is billed by the hour.
func (s Settings) scalesToZero() bool { return s.Engine == Serverless }

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
		Partition: *awscdk.Aws_PARTITION(), Region: *awscdk.Aws_REGION(), Account: *awscdk.Aws_ACCOUNT_ID(), Stage: s.Stage.Name,
	}
}

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

func (r *contextReader) flag(key string) bool {
	b, err := strconv.ParseBool(r.text(key, "false"))
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

func (r *contextReader) databaseID(key, otherwise string) DatabaseID {
	c, err := parseDatabaseID(r.text(key, otherwise))
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("context %s: %w", key, err))
	}
	return c
}

func (r *contextReader) stage() Stage {
	name := r.text("stage", "dev")
	stage, ok := stages()[name]
	if !ok {
		r.errs = append(r.errs, fmt.Errorf("context stage: %q is neither dev nor prod", name))
	}
	return stage
}
