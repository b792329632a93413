# Loadbay: `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help

FUNCTIONS := $(notdir $(patsubst %/,%,$(wildcard functions/*/)))
LOCAL  := bin/functions
LAMBDA := bin/lambda
# The same flags for local and deployed binaries: small, reproducible, and
# without the RPC mode of Lambda's retired Go runtime.
FUNCTION_FLAGS := -trimpath -buildvcs=false -tags lambda.norpc
# What is deployed, and the local stack, carry the version that they are built
# from (shared/version). Local functions do not: each commit would link all again.
STAMP = $(or $(VERSION),$(shell git describe --tags --always --dirty --abbrev=12 2>/dev/null))
STAMPED = -X github.com/loadbay/loadbay/shared/version.stamped=$(STAMP)
# All packages but the CDK app, whose dependencies take minutes to compile.
PACKAGES = $$(go list ./... | grep -v /infra/cdk)
# The race detector needs cgo and a C compiler.
# Tools of development, pinned in a module of their own.
TOOL := go tool -modfile=.ci/tools/go.mod
RACE := $(shell [ "$$(go env CGO_ENABLED)" = 1 ] && command -v $$(go env CC) >/dev/null && echo -race)
NODE := $(shell command -v node)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build the functions, the local stack and the command line for this machine
	@$(call functions,$(LOCAL),$$(go env GOOS),$$(go env GOARCH),-s -w)
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w $(STAMPED)' -o bin/loadbay ./cmd/loadbay
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '$(STAMPED)' -o bin/loadbay-local ./infra/local

.PHONY: build-lambda
build-lambda: ## build the functions for AWS (Linux, arm64)
	@$(call functions,$(LAMBDA),linux,arm64,-s -w $(STAMPED))

# functions DIR OS ARCH LDFLAGS builds DIR/<function>/bootstrap for each function. Go
# keeps DIR/.flat up to date; the links give each binary the name Lambda wants.
define functions
mkdir -p $(1)/.flat && \
CGO_ENABLED=0 GOOS=$(2) GOARCH=$(3) go build $(FUNCTION_FLAGS) -ldflags '$(4)' -o $(1)/.flat/ $(addprefix ./functions/,$(FUNCTIONS)) && \
for f in $(FUNCTIONS); do mkdir -p $(1)/$$f && ln -f $(1)/.flat/$$f $(1)/$$f/bootstrap; done
endef

.PHONY: postgres
postgres:
	@.ci/postgres install

.PHONY: run
run: postgres build console-if-node ## run all of Loadbay on this machine
	@exec bin/loadbay-local run

# The console (console/) is built where there is Node.js; the stack runs without it, and says so.
CONSOLE_SOURCES := $(shell git ls-files console client/typescript 2>/dev/null)
console/node_modules/.package-lock.json: console/package-lock.json
	@cd console && npm ci --silent && touch node_modules/.package-lock.json

# The reader of spreadsheets, for the browser; left alone where nothing of it has changed.
READER := console/src/reader/reader.wasm.gz
FORCE:
$(READER): FORCE
	@mkdir -p bin && GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -ldflags '-s -w' -o bin/reader.wasm ./console/reader
	@gzip -9nc bin/reader.wasm > bin/reader.wasm.gz && { cmp -s bin/reader.wasm.gz $@ || cp bin/reader.wasm.gz $@; }
	@cmp -s "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(@D)/wasm_exec.js || cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(@D)/

console/dist/index.html: console/node_modules/.package-lock.json $(CONSOLE_SOURCES) $(READER)
	@cd console && npm run --silent build -- --logLevel warn && touch dist/index.html

.PHONY: console
console: console/dist/index.html ## build the web console (needs Node.js)

.PHONY: console-if-node
console-if-node:
	@if [ -n "$(NODE)" ]; then $(MAKE) --no-print-directory console; else echo "skipped: the console, which needs Node.js"; fi

.PHONY: console-dev
console-dev: console/node_modules/.package-lock.json $(READER) ## serve the console with hot reload, on the stack of `make run` (LOADBAY_API=http://…)
	@cd console && npm run --silent dev

# The console's client is a package of its own, for others as well.
client/typescript/node_modules/.package-lock.json: client/typescript/package-lock.json
	@cd client/typescript && npm ci --silent && touch node_modules/.package-lock.json

.PHONY: console-client
console-client: client/typescript/node_modules/.package-lock.json ## generate the TypeScript client, which the console uses, from the API's description
	@cd client/typescript && npm run --silent generate

.PHONY: check-typescript-client
check-typescript-client: client/typescript/node_modules/.package-lock.json
	@cd client/typescript && npm run --silent generate:check && npm test --silent

.PHONY: check-console
check-console:
	@if [ -n "$(NODE)" ]; then $(MAKE) --no-print-directory check-typescript-client console && cd console && npm run --silent budget && npm test --silent; \
	else echo "skipped: the console's checks, which need Node.js"; fi

.PHONY: chromium
chromium:
	@$(HAVE_CHROMIUM) || { if [ -n "$(NODE)" ] && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "Installing Chromium."; \
		DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium' >/dev/null; fi; }
HAVE_CHROMIUM := { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null

# in-chromium COMMAND runs what needs a browser, or says that it did not.
define in-chromium
@if [ -z "$(NODE)" ]; then echo "skipped: the console's tests, which need Node.js"; \
elif ! $(HAVE_CHROMIUM); then echo "skipped: the console's tests, which need Chromium"; \
else cd console && $(1); fi
endef

.PHONY: test-console
test-console: postgres build console-if-node chromium ## run the console's tests in Chromium, on a stack of their own (needs Node.js and Chromium)
	$(call in-chromium,npm run --silent test:browser)

# Those of the tests that go from a file to its rows: they are a part of make test.
.PHONY: test-journeys
test-journeys: postgres build console-if-node chromium
	$(call in-chromium,npm run --silent test:browser -- --grep @journey)

.PHONY: images
images: postgres build console-if-node chromium ## make the pictures of docs/images anew, by the console's tests
	$(call in-chromium,PICTURES=docs npm run --silent test:browser)

.PHONY: admin-organisation
admin-organisation: build ## make an organisation in the stack of `make run`, and say what comes next (NAME='Harbour Athletics')
	@bin/loadbay-local organisation "$$NAME"

.PHONY: demo
demo: postgres build ## import and export samples of every type through the whole architecture
	@exec bin/loadbay-local demo

.PHONY: bench
bench: postgres build ## measure an import end to end, compared with psql's \copy (BENCH_ROWS=1000000)
	@exec bin/loadbay-local bench

.PHONY: load
load: postgres build ## import files of many organisations at once (LOAD_TENANTS=20 LOAD_FILES=5 LOAD_ROWS=1000000)
	@exec bin/loadbay-local load

.PHONY: bench-matrix
bench-matrix: postgres build ## measure files of all sizes, shapes and formats in every mode (BENCH_ROWS=10000,100000,1000000)
	@BENCH_MATRIX=true BENCH_ROWS=$${BENCH_ROWS:-10000,100000,1000000} bin/loadbay-local bench

.PHONY: bench-guard
bench-guard: postgres ## fail if imports cost more than before: bytes of the log, pages, statements, allocations (COSTS=-update: as now)
	go test -count=1 ./shared/step -run TestNothingCostsMoreThanBefore -v -guard $(COSTS)

.PHONY: bench-reader
bench-reader: ## measure the spreadsheet readers, compared with encoding/csv and excelize
	go test ./shared/sheet/reader -run '^$$' -bench 'Reader$$' -benchtime 1x -timeout 60m -rows 200000,1000000
	go test ./shared/sheet/reader -run '^$$' -bench ReaderCores -benchtime 2x -timeout 60m -rows 1000000 -cpu 1,2
	go test ./shared/sheet/xls -run '^$$' -bench Reader -timeout 60m

.PHONY: bench-export
bench-export: postgres build ## export rows in every format, streamed and asynchronously, and check the peak memory (EXPORT_ROWS=1000000)
	EXPORT_ROWS=$${EXPORT_ROWS:-1000000} go test -count=1 -timeout 60m -v -run TestExportMemory ./infra/tests/e2e

.PHONY: schema
schema: postgres ## enter new migrations in migrations.sum, and write docs/schema.sql anew
	go test -count=1 ./migrations ./shared/postgres/schema -run 'TestMigrationsAreOnlyAdded|TestTheDocumentIsTheSchema' -update

.PHONY: docs
docs: ## write docs/cli.md anew, from the commands
	go test -count=1 ./cmd/loadbay/internal/manual -run TestTheDocumentIsTheCommands -update

.PHONY: recording
recording: postgres build ## record docs/tutorial.md in a terminal anew, and show it in the README
	go test -count=1 ./infra/tests/cli -run TestTheTutorialWorks -update

.PHONY: cost
cost: ## write the tables of docs/cost.md anew, from the templates and the list of prices (needs Node.js)
	go test -count=1 ./infra/cdk/stack -run TestCostsAreThoseOfTheTemplates -update

# What says which resources an update of the templates replaces.
infra/cdk/upgrade/node_modules/.package-lock.json: infra/cdk/upgrade/package-lock.json
	@if [ -n "$(NODE)" ]; then cd infra/cdk/upgrade && npm ci --silent && touch node_modules/.package-lock.json; fi

.PHONY: upgrade-tools
upgrade-tools: infra/cdk/upgrade/node_modules/.package-lock.json

.PHONY: templates
templates: upgrade-tools ## store the templates of prod as those of a release, which later ones are compared with (VERSION=v0.1.0; needs Node.js)
	go test -count=1 ./infra/cdk/stack -run TestAnUpdateReplacesNothingThatHoldsData -release '$(VERSION:v%=%)'

# Where the tests record the statements that they send.
STATEMENTS := $(CURDIR)/bin/statements
.PHONY: test-plans
test-plans: postgres ## plan the statements of the tests that send the most on large tables, and fail if one reads all rows of a table
	@rm -rf $(STATEMENTS) && mkdir -p $(STATEMENTS)
	POSTGRES_STATEMENTS=$(STATEMENTS) go test -count=1 -timeout 20m ./shared/postgres/... ./shared/entity/... ./shared/httpapi/... ./shared/step/... ./shared/erase ./shared/outbox
	go test -count=1 ./shared/postgres -run TestStatementsUseIndexes -statements $(STATEMENTS)

.PHONY: test
test: postgres build upgrade-tools console-if-node ## run all tests, against real Postgres and the local AWS endpoint
	@rm -rf $(STATEMENTS) && mkdir -p $(STATEMENTS)
	POSTGRES_STATEMENTS=$(STATEMENTS) go test $(RACE) -shuffle=on -timeout 20m $(PACKAGES)
	go test -count=1 ./shared/postgres -run TestStatementsUseIndexes -statements $(STATEMENTS)
	@if [ -n "$(NODE)" ]; then go test -shuffle=on -timeout 20m ./infra/cdk/...; \
	else echo "skipped: the tests of infra/cdk, which need Node.js"; fi
	@$(MAKE) --no-print-directory test-journeys

.PHONY: test-short
test-short: postgres ## run the tests that need neither binaries nor all of Loadbay: the inner loop
	go test -short $(PACKAGES)

# SEED and LIFE run one seed again and show what happened; make test runs some for a while.
SEEDS ?= 5000
LIVES ?= 1000
.PHONY: test-random
test-random: postgres ## run SEEDS random imports with faults (5000) and LIVES lives (1000), or one again (SEED=n, LIFE=n)
	go test ./shared/testing/simulation -count=1 -timeout 600m -v -run '^($(if $(SEED),TestMadeUpImports,$(if $(LIFE),TestLives,TestMadeUpImports|TestLives)))$$' \
	  -args $(if $(SEED),-seed=$(SEED),$(if $(LIFE),-life=$(LIFE),-seeds=$(SEEDS) -lives=$(LIVES)))

.PHONY: test-moto
test-moto: postgres build ## run the end-to-end suite and the state machine's ways on moto (needs moto_server)
	@command -v moto_server >/dev/null || { echo "moto_server is not on the PATH: pip install 'moto[server]'"; exit 1; }
	go test -count=1 -v -timeout 20m -run Moto ./infra/tests/anywhere ./infra/tests/conformance

.PHONY: test-localstack
test-localstack: postgres build-lambda ## run the end-to-end suite in LocalStack (needs Docker and LOCALSTACK_AUTH_TOKEN; says which is missing)
	go test -count=1 -v -timeout 30m -run TestLocalStack ./infra/tests/anywhere

# FAULT_ROUNDS is how often each fault is made to happen.
FAULT_ROUNDS ?= 10
.PHONY: test-faults
test-faults: postgres build ## make every fault happen FAULT_ROUNDS times (10), and those that take minutes
	go test $(RACE) -count=1 -v -timeout 120m ./infra/tests/faults -rounds $(FAULT_ROUNDS)

# What the suites' functions do is recorded, and compared with what they may do.
.PHONY: grants
grants: postgres build ## run the suites with permissions recorded, and name those that nothing uses
	@rm -f bin/uses.log
	IAM_USES=$(CURDIR)/bin/uses.log go test -count=1 -timeout 60m ./infra/tests/e2e ./infra/tests/faults ./infra/tests/inputs ./infra/tests/canary
	IAM_USES=$(CURDIR)/bin/uses.log go test -count=1 -v ./infra/tests/grants

.PHONY: check
check: ## vet, formatting, lint, the API's description, import rule, tidy modules: what CI runs before the tests
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not formatted:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet $(PACKAGES)
	go mod tidy -diff
	go test -count=1 -run "TestImportRule|TestEveryPackageIsTested" ./shared
	go run ./infra/picture -check
	@$(MAKE) --no-print-directory lint lint-api validate vulnerabilities check-console

.PHONY: lint
lint: ## run the linters of .golangci.yml (the first time builds them, for some minutes)
	$(TOOL) golangci-lint run $$(go list -f '{{.Dir}}' ./... | grep -v /infra/cdk)

.PHONY: vulnerabilities
vulnerabilities: ## look for known vulnerabilities in what is called (where vuln.go.dev can be reached)
	@if curl -fsS -o /dev/null --connect-timeout 3 --max-time 10 https://vuln.go.dev/index/db.json 2>/dev/null; then \
		$(TOOL) govulncheck $(PACKAGES); \
	else echo "skipped: govulncheck, whose database (vuln.go.dev) cannot be reached"; fi

.PHONY: picture
picture: ## draw docs/architecture.svg from docs/architecture.txt
	go run ./infra/picture

ASL_VALIDATOR := npx --yes asl-validator@4.0.0
REDOCLY := npx --yes @redocly/cli@2.77.0
.PHONY: lint-api
lint-api: ## lint the API's description (where npx finds Redocly)
	@export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true; \
	if command -v npx >/dev/null && $(REDOCLY) --version >/dev/null 2>&1; then \
		$(REDOCLY) lint --config .ci/redocly.yaml shared/httpapi/openapi.yaml; \
	else echo "skipped: Redocly, which npx has not found"; fi

.PHONY: reference
reference: ## fetch what draws the API reference anew, with its licences (needs npm)
	@cd shared/httpapi/reference && npm pack --silent redoc@$(REDOC) >/dev/null && tar xzf redoc-$(REDOC).tgz && \
	gzip -9nc package/bundles/redoc.standalone.js > redoc.js.gz && \
	{ echo "Redoc $(REDOC) (https://www.npmjs.com/package/redoc/v/$(REDOC))"; echo; cat package/LICENSE; echo; \
	  echo "It contains:"; echo; cat package/bundles/redoc.standalone.js.LICENSE.txt; } > LICENSE-redoc.txt; \
	rm -rf package redoc-$(REDOC).tgz; sha256sum redoc.js.gz
REDOC := 2.5.4

.PHONY: validate
validate: ## validate the state machine's definition (where npx finds asl-validator)
	@if command -v npx >/dev/null && $(ASL_VALIDATOR) --version >/dev/null 2>&1; then \
		$(ASL_VALIDATOR) --json-path infra/statemachine/import.asl.json; \
	else echo "skipped: asl-validator, which npx has not found"; fi

# FUZZTIME is for each target.
FUZZTIME ?= 60s
.PHONY: fuzz
fuzz: ## fuzz every decoder for FUZZTIME each (60s)
	@for package in $(PACKAGES); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package || exit 1; \
		done; done

.PHONY: synth
synth: build-lambda ## write the CloudFormation templates to cdk.out (needs Node.js, no account)
	CDK_OUTDIR=cdk.out go run ./infra/cdk

# What people run is built for these; all of Loadbay on one machine is not for Windows.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
LOCAL_PLATFORMS ?= $(filter-out windows/%,$(PLATFORMS))
ARCHIVES := bin/archives
# The date in the man pages.
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),315532800)

.PHONY: build-archives
build-archives: build-command-line build-local-stack

# A folder for each platform: the program, its man pages and completions.
.PHONY: build-command-line
build-command-line:
	@rm -rf $(ARCHIVES) bin/manual
	@SOURCE_DATE_EPOCH=$(EPOCH) go run ./cmd/loadbay/internal/manual -version '$(STAMP)' bin/manual
	@for platform in $(PLATFORMS); do os=$${platform%/*} arch=$${platform#*/} program=loadbay; [ $$os != windows ] || program=loadbay.exe; \
		to=$(ARCHIVES)/loadbay-$(STAMP)-$$os-$$arch; mkdir -p $$to && cp -r bin/manual/. $$to && \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -buildvcs=false -ldflags '-s -w $(STAMPED)' -o $$to/$$program ./cmd/loadbay || exit 1; done

# Another one for each platform: the program that `loadbay dev` runs, the functions, and the console if it is built.
.PHONY: build-local-stack
build-local-stack: build-command-line
	@for platform in $(LOCAL_PLATFORMS); do os=$${platform%/*} arch=$${platform#*/}; \
		to=$(ARCHIVES)/loadbay-local-$(STAMP)-$$os-$$arch; mkdir -p $$to && \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -buildvcs=false -ldflags '-s -w $(STAMPED)' -o $$to/loadbay-local ./infra/local && \
		{ [ ! -d console/dist ] || cp -r console/dist $$to/console; } && \
		$(call functions,$$to/functions,$$os,$$arch,-s -w $(STAMPED)) || exit 1; done

.PHONY: dist
dist: build-lambda build-archives ## pack the functions for AWS and the programs for people, with checksums, in dist (VERSION=v0.1.0, or the commit's)
	go run ./infra/release -version '$(STAMP)' -from $(LAMBDA) -archives $(ARCHIVES) -to 'dist/loadbay-$(STAMP)' $(FUNCTIONS)

.PHONY: release
release: ## check everything, build dist and tag the commit (VERSION=v0.1.0); nothing is pushed
	@.ci/release '$(VERSION)'

# CDK_ARGS holds context, as in CDK_ARGS='-c stage=prod -c jwtIssuer=https://…'.
CDK := npx --yes aws-cdk@2.1148.1

# A deployment without an issuer of tokens would fail at API Gateway, when all else stands.
.PHONY: has-issuer
has-issuer:
	@case "$(CDK_ARGS)" in *jwtIssuer=https://*|*auth=cognito*) ;; *) \
		echo "deploy: who issues the tokens? CDK_ARGS='-c auth=cognito', or '-c jwtIssuer=https://… -c jwtAudience=…' (docs/runbook.md#deploying)" >&2; exit 1;; esac

.PHONY: invite
invite: ## let a person sign in at the user pool of STAGE (EMAIL=ada@example.org ORGANISATION=2 SCOPES='imports:read …', or SCOPES=admin)
	@STAGE='$(STAGE)' EMAIL='$(EMAIL)' ORGANISATION='$(ORGANISATION)' SCOPES='$(SCOPES)' go run ./infra/invite

.PHONY: bootstrap
bootstrap: ## prepare an account and region for deployments, once (ACCOUNT=123456789012 REGION=eu-central-1)
	@[[ "$(ACCOUNT)" =~ ^[0-9]{12}$$ && "$(REGION)" =~ ^[a-z]+(-[a-z]+)+-[0-9]$$ ]] || \
		{ echo "bootstrap: ACCOUNT=123456789012 REGION=eu-central-1 say where" >&2; exit 1; }
	$(CDK) bootstrap aws://$(ACCOUNT)/$(REGION) --app ''

# A person is asked about permissions that become wider. CI says APPROVAL=never, after
# `make diff` has been read.
APPROVAL ?= broadening
.PHONY: deploy
deploy: has-issuer build-lambda ## deploy to the AWS account of the environment (APPROVAL=never asks nobody)
	$(CDK) deploy --all --require-approval $(APPROVAL) $(CDK_ARGS)

# The aws command has the same credentials and region. What is named after its content is put
# there first, the page that names it last.
STAGE ?= dev
.PHONY: deploy-console
deploy-console: console ## put the console where the deployment of STAGE (dev) serves it (needs the aws command)
	@bucket=$${CONSOLE_BUCKET:-$$(aws cloudformation describe-stacks --stack-name loadbay-$(STAGE)-service --query "Stacks[0].Outputs[?OutputKey=='ConsoleBucket'].OutputValue" --output text)} && \
	aws s3 cp --recursive --no-progress --cache-control 'public, max-age=31536000, immutable' --exclude '*.gz' console/dist/assets "s3://$$bucket/assets" && \
	aws s3 cp --recursive --no-progress --cache-control 'public, max-age=31536000, immutable' --content-type application/gzip --exclude '*' --include '*.gz' console/dist/assets "s3://$$bucket/assets" && \
	aws s3 cp --recursive --no-progress --cache-control no-cache --exclude 'assets/*' --exclude index.html console/dist "s3://$$bucket" && \
	aws s3 cp --no-progress --cache-control no-cache console/dist/index.html "s3://$$bucket/index.html"

.PHONY: diff
diff: build-lambda ## show what a deployment would change
	$(CDK) diff $(CDK_ARGS)

.PHONY: destroy
destroy: ## take a deployment down
	$(CDK) destroy --all $(CDK_ARGS)

.PHONY: empty
empty: ## delete what the buckets of stage dev hold, so that it can be taken down
	STAGE='$(STAGE)' go run ./infra/empty

.PHONY: deploy-check
deploy-check: build-lambda ## deploy stage dev to a real account, try it and destroy it (ACCOUNT=123456789012, AWS_REGION, CDK_ARGS)
	ACCOUNT='$(ACCOUNT)' CDK_ARGS='$(CDK_ARGS)' go run ./infra/deploycheck

.PHONY: clean
clean: ## remove what was built, and the local stack's state
	rm -rf bin dist cdk.out .loadbay console/dist $(READER) $(dir $(READER))wasm_exec.js
