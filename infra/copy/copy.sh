#!/usr/bin/env bash
# Copies Loadbay's database into an empty one, whatever kind either is of:
#
#   FROM=postgres://loadbay_admin@old/loadbay TO=postgres://loadbay_admin@new/loadbay infra/copy/copy.sh
#
# Both as the owner, whose passwords belong into PGPASSFILE. Nothing else may write meanwhile.
# Row level security binds owners too, and roles that it does not bind cannot be made on RDS.
# So a role is made for the time of the copy that policies of its own let see every row, and
# who reads says to Postgres that this is known (--enable-row-security). No row may stay
# behind unnoticed: all tables are counted on both sides.
set -euo pipefail
: "${FROM:?the database to copy, postgres://…}" "${TO:?the empty database to copy to, postgres://…}"
jobs=${JOBS:-4}
reader=loadbay_copy
folder=$(mktemp -d)

run() { psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --dbname "$1"; }
say() { echo "copy: $*" >&2; }

# lose takes the reader away again: its policies and grants go with what it owns.
lose() {
	run "$1" <<-SQL
		SELECT format('DROP OWNED BY %I', rolname) FROM pg_roles WHERE rolname = '$reader' \gexec
	SQL
}
drop() {
	run "$1" <<-SQL
		SELECT format('DROP ROLE IF EXISTS %I', '$reader') WHERE NOT EXISTS (
			SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = (SELECT oid FROM pg_roles WHERE rolname = '$reader')) \gexec
	SQL
}
clean() {
	local status=$?
	rm -rf "$folder"
	for database in "$FROM" "$TO"; do lose "$database" || status=1; done
	for database in "$FROM" "$TO"; do drop "$database" || status=1; done
	exit "$status"
}

[[ $(run "$TO" <<<"SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace") = 0 ]] ||
	{ say "the database to copy to has tables already"; exit 1; }
hiding=$(run "$FROM" <<<"SELECT policyname || ' on ' || tablename FROM pg_policies WHERE permissive = 'RESTRICTIVE'")
[[ -z $hiding ]] || { say "policies that no other one opens: $hiding"; exit 1; }
trap clean EXIT

say "a reader of every row"
run "$FROM" <<-SQL
	SELECT format('CREATE ROLE %I', '$reader') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$reader') \gexec
	BEGIN;
	GRANT $reader TO CURRENT_USER;
	GRANT USAGE ON SCHEMA public TO $reader;
	GRANT SELECT ON ALL TABLES IN SCHEMA public TO $reader;
	GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO $reader;
	SELECT format('CREATE POLICY copied ON %s FOR SELECT TO $reader USING (true)', oid::regclass) FROM pg_class
		WHERE relrowsecurity AND relnamespace = 'public'::regnamespace \gexec
	COMMIT;
SQL

say "the roles that are granted something"
run "$FROM" >"$folder/roles" <<-SQL
	SELECT DISTINCT format('SELECT %L WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %L) \gexec', format('CREATE ROLE %I', rolname), rolname)
	FROM pg_shdepend JOIN pg_roles r ON r.oid = refobjid
	WHERE refclassid = 'pg_authid'::regclass AND deptype IN ('a', 'r') AND rolname <> CURRENT_USER AND rolname NOT LIKE 'pg\_%'
		AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database());
SQL
run "$TO" <"$folder/roles"
run "$TO" <<<"GRANT $reader TO CURRENT_USER"

say "the rows"
pg_dump --format directory --jobs "$jobs" --role "$reader" --enable-row-security --no-owner --file "$folder/dump" "$FROM"
# pg_dump is as new as the server, or it copies options of columns that only the server may set.
if pg_restore --schema-only --file - "$folder/dump" | grep 'pg_attver=' >/dev/null; then
	say "$(pg_dump --version) is older than the database: install the current minor release"
	exit 1
fi
# Foreign keys are held against all rows only where row level security is not in force yet.
pg_restore --list "$folder/dump" >"$folder/all"
grep -vE '^[0-9]+; [0-9]+ [0-9]+ (POLICY|ROW SECURITY) ' "$folder/all" >"$folder/first"
grep -E '^[0-9]+; [0-9]+ [0-9]+ (POLICY|ROW SECURITY) ' "$folder/all" >"$folder/last"
pg_restore --jobs "$jobs" --no-owner --exit-on-error --use-list "$folder/first" --dbname "$TO" "$folder/dump"
pg_restore --no-owner --exit-on-error --use-list "$folder/last" --dbname "$TO" "$folder/dump"
run "$TO" <<<"ANALYZE"

say "whether all are there"
count() {
	run "$1" <<-SQL
		SET ROLE $reader;
		SELECT format('SELECT %L, count(*) FROM %s', oid::regclass, oid::regclass) FROM pg_class
			WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname \gexec
		SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' ORDER BY sequencename;
	SQL
}
count "$FROM" >"$folder/old"
count "$TO" >"$folder/new"
diff "$folder/old" "$folder/new" >&2 || { say "the databases differ"; exit 1; }
say "$(grep -c . "$folder/new") tables and sequences are the same"
