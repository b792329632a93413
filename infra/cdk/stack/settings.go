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

// Settings is what a deployment may choose, given as CDK context: by
// -c key=value, or as JSON in CDK_CONTEXT_JSON where there is no CLI.
type Settings struct {
	Stage Stage
	// Engine and Number are the database that the service uses: context "database"
	// ("serverless", "instance-2"), else the first of the stage's own kind.
	Engine Engine
	Number int
	// Beside is one more, which nothing uses: context "databaseBeside". Rows are copied
	// between the two (docs/runbook.md#moving-the-database).
	ExtraDatabase *DatabaseID
	// Issuer and Audience are those of the tokens that the API accepts: "jwtIssuer"
	// (a URL with a discovery document) and "jwtAudience" (comma-separated).
	Issuer   string
	Audience []string
	// UserPool has people sign in at a user pool of the stage's own, and is instead of Issuer
	// and Audience: "auth", which is "cognito" or left out.
	UserPool bool
	// Origins that browsers may call the API and upload from: "corsOrigins", comma-separated.
	Origins []string
	// ConsoleDomain is the console's own name, with ConsoleCertificate, the ARN of a
	// certificate for it in us-east-1: "consoleDomain", "consoleCertificate". Without them
	// it has the name that CloudFront gives it.
	ConsoleDomain, ConsoleCertificate string
	// AuthOrigins are those that the console asks for tokens, comma-separated: "authOrigins",
	// where the issuer's endpoints are of another origin than the issuer, as Cognito's are.
	AuthOrigins []string
	// AlarmEmail receives alarms: "alarmEmail". Without it the topic has no subscriber.
	AlarmEmail string
	// RunbookURL is where docs/runbook.md can be read: "runbookUrl".
	RunbookURL string
	// AllAtOnce releases api to all callers at once, and while an alarm sounds: "atOnce".
	AllAtOnce bool
	// NATGateways gives the functions a way to the internet: "natGateways", default 0.
	NATGateways int
	// Assets is the folder with a folder of each function, and in it its bootstrap: "assets".
	Assets string
	// Functions are settings of the functions by their variables, each a context of
	// its own: "QUOTA_OPEN_IMPORTS". What may be set is in the blueprint.
	Functions map[string]string
	// SAM declares the variables by which sam local points functions at an
	// endpoint and a database on this machine: "sam". sam sets no variable that
	// the template does not declare.
	SAM bool
}

// placeholderIssuer lets a clean clone synthesize. API Gateway asks the issuer for
// its discovery document, so a deployment with this one fails before it serves.
const placeholderIssuer = "https://issuer.invalid/"

const defaultRunbook = "https://github.com/loadbay/loadbay/blob/main/docs/runbook.md"

// SettingsFromContext reads the settings from the app's context and reports every
// fault in them.
func SettingsFromContext(node constructs.Node) (Settings, error) {
	ctx := contextReader{node: node}
	s := Settings{
		Issuer:      ctx.text("jwtIssuer", placeholderIssuer),
		Audience:    ctx.list("jwtAudience", "loadbay"),
		Origins:     ctx.list("corsOrigins", ""),
		AuthOrigins: ctx.list("authOrigins", ""),
		AlarmEmail:  ctx.text("alarmEmail", ""),

		ConsoleDomain: ctx.text("consoleDomain", ""), ConsoleCertificate: ctx.text("consoleCertificate", ""),

		RunbookURL:  ctx.text("runbookUrl", defaultRunbook),
		NATGateways: ctx.number("natGateways"),
		Assets:      ctx.text("assets", "bin/lambda"),
		SAM:         ctx.flag("sam"),
		AllAtOnce:   ctx.flag("atOnce"),
	}
	s.Functions = make(map[string]string)
	for _, name := range blueprint.New().Settings() {
		s.Functions[name] = ctx.text(name, "")
	}
	s.UserPool = ctx.userPool()
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
		errs = append(errs, fmt.Errorf("context databaseBeside: %s is the database that is used", s.ExtraDatabase))
	}
	if (s.ConsoleDomain == "") != (s.ConsoleCertificate == "") {
		errs = append(errs, errors.New("context consoleDomain, consoleCertificate: one is useless without the other"))
	}
	for _, origin := range s.AuthOrigins {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "https" || u.Host == "" || origin != "https://"+u.Host {
			errs = append(errs, fmt.Errorf("context authOrigins: %q is no https origin", origin))
		}
	}
	if s.NATGateways < 0 || s.NATGateways > zones {
		errs = append(errs, fmt.Errorf("context natGateways: %d is not 0 to %d", s.NATGateways, zones))
	}
	return errors.Join(errs...)
}

func (s Settings) checkSignIn() []error {
	if s.UserPool {
		return s.checkUserPool()
	}
	var errs []error
	if !strings.HasPrefix(s.Issuer, "https://") {
		errs = append(errs, fmt.Errorf("context jwtIssuer: %q is no https URL", s.Issuer))
	}
	if s.Stage.RetainData && s.Issuer == placeholderIssuer {
		errs = append(errs, fmt.Errorf("context jwtIssuer: stage %s needs one, or -c auth=cognito", s.Stage.Name))
	}
	if len(s.Audience) == 0 {
		errs = append(errs, errors.New("context jwtAudience: empty"))
	}
	return errs
}

// checkUserPool refuses what the user pool decides itself.
func (s Settings) checkUserPool() []error {
	var errs []error
	if s.Issuer != placeholderIssuer {
		errs = append(errs, errors.New("context jwtIssuer: the user pool of auth=cognito is the issuer"))
	}
	for _, name := range blueprint.IssuerSettings() {
		if s.Functions[name] != "" {
			errs = append(errs, fmt.Errorf("context %s: the user pool of auth=cognito says it", name))
		}
	}
	return errs
}

// Blueprint is what the settings deploy.
func (s Settings) Blueprint() *blueprint.Blueprint {
	b := blueprint.New()
	if s.UserPool {
		return b.WithUserPool()
	}
	return b
}

// scalesToZero is the shape of a deployment that costs next to nothing while there is no work:
// its database stops, and nothing in it is paid by the hour.
func (s Settings) scalesToZero() bool { return s.Engine == Serverless }

// Database is the one that the service uses.
func (s Settings) Database() DatabaseID { return DatabaseID{Engine: s.Engine, Number: s.Number} }

// withDatabase are the settings if the service used another database.
func (s Settings) withDatabase(c DatabaseID) Settings {
	s.Engine, s.Number = c.Engine, c.Number
	return s
}

// databaseName is what the database is called by RDS.
func (s Settings) databaseName() string { return s.resourceName("loadbay-" + s.Database().String()) }

// CheckRegion refuses a region whose databases the functions would not believe to be
// AWS's own. The CDK CLI says which region it deploys to; "" is that of nobody.
func CheckRegion(region string) error {
	if region == "" {
		return nil
	}
	covered, err := rdsca.Covers(region)
	if err == nil && !covered {
		err = fmt.Errorf("region %s: shared/aws/rds/rdsca has no authority of its databases; add its root first", region)
	}
	return err
}

// deployment is where the stage stands: CloudFormation fills account and region in.
func (s Settings) deployment() blueprint.Deployment {
	return blueprint.Deployment{
		Partition: *awscdk.Aws_PARTITION(), Region: *awscdk.Aws_REGION(), Account: *awscdk.Aws_ACCOUNT_ID(), Stage: s.Stage.Name,
	}
}

// resourceName is the physical name of a resource whose name in the blueprint is base.
func (s Settings) resourceName(base string) string { return s.deployment().Name(base) }

// functionName is the name of a function on AWS.
func (s Settings) functionName(function string) string { return s.deployment().Function(function) }

// contextReader reads context values, which are strings from the command line and any
// JSON value from a file, and collects what is wrong with them.
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

func (r *contextReader) number(key string) int {
	n, err := strconv.Atoi(r.text(key, "0"))
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("context %s: %w", key, err))
	}
	return n
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
		r.errs = append(r.errs, fmt.Errorf("context auth: %q is not cognito; leave it out for an issuer of your own (jwtIssuer)", v))
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
