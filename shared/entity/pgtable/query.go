package pgtable

// query returns the catalogue's entries of a table as one JSON document, which the structs in
// catalogue.go describe. It runs with pg_catalog as the search path.
//
// to_jsonb(…) reads columns that older releases of Postgres do not have.
const query = `
	WITH RECURSIVE relation AS MATERIALIZED (
		SELECT c.*
		FROM pg_class AS c
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = $1
		AND c.relname = $2
	), attributes AS MATERIALIZED (
		SELECT a.*
		FROM relation AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid
		WHERE a.attnum > 0
		AND NOT a.attisdropped
	), types AS (
		SELECT atttypid AS oid FROM attributes
		UNION
		SELECT other.oid
		FROM types
		JOIN pg_type AS t ON t.oid = types.oid
		LEFT JOIN pg_range AS r ON t.oid IN (r.rngtypid, r.rngmultitypid)
		CROSS JOIN LATERAL (
			VALUES (t.typbasetype), (CASE WHEN t.typcategory = 'A' THEN t.typelem END), (r.rngsubtype)
		) AS other(oid)
		WHERE other.oid <> 0
	)
	SELECT row_to_json(answer)::text
	FROM relation AS c
	CROSS JOIN LATERAL (
		SELECT
			c.oid::bigint AS "OID",
			c.relkind AS "Relkind",
			c.relispartition AS "Partition",
			c.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.oid) AS "Inherited",
			coalesce(obj_description(c.oid, 'pg_class'), '') AS "Comment",
			c.reltuples::bigint AS "Rows",
			row_security_active(c.oid) AS "RowSecurity",
			c.relrowsecurity AS "RowSecurityEnabled",
			c.relforcerowsecurity AS "RowSecurityForced",
			pg_has_role(c.relowner, 'MEMBER') AS "Owned",
			has_schema_privilege(c.relnamespace, 'USAGE') AS "Usage",
			has_table_privilege(c.oid, 'DELETE') AS "Delete",
			has_table_privilege(c.oid, 'TRIGGER') AS "Trigger",
			(
				SELECT json_agg(x ORDER BY x."Number")
				FROM (
					SELECT
						a.attname AS "Name",
						coalesce(col_description(c.oid, a.attnum), '') AS "Comment",
						a.attnum AS "Number",
						format_type(a.atttypid, a.atttypmod) AS "Type",
						a.atttypid::bigint AS "TypeOID",
						a.atttypmod AS "Modifier",
						a.attnotnull AS "NotNull",
						CASE WHEN a.attgenerated = '' THEN coalesce(pg_get_expr(d.adbin, d.adrelid), '') ELSE '' END AS "Default",
						coalesce(s.oid::regclass::text, '') AS "Sequence",
						s.oid IS NOT NULL AND has_sequence_privilege(s.oid, 'USAGE') AS "SequenceUsage",
						a.attidentity AS "IdentityCode",
						a.attgenerated <> '' AS "Generated",
						CASE WHEN a.attcollation <> t.typcollation THEN l.oid::regcollation::text ELSE '' END AS "Collation",
						l.collisdeterministic IS NOT FALSE AS "Deterministic",
						has_column_privilege(c.oid, a.attnum, 'INSERT') AS "Insert",
						has_column_privilege(c.oid, a.attnum, 'UPDATE') AS "Update",
						has_column_privilege(c.oid, a.attnum, 'SELECT') AS "Select"
					FROM attributes AS a
					JOIN pg_type AS t ON t.oid = a.atttypid
					LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
					LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
					LEFT JOIN LATERAL (
						SELECT q.oid
						FROM pg_depend AS p
						JOIN pg_class AS q ON q.oid = p.refobjid AND q.relkind = 'S'
						WHERE p.classid = 'pg_attrdef'::regclass
						AND p.objid = d.oid
						AND p.refclassid = 'pg_class'::regclass
						LIMIT 1
					) AS s ON true
				) AS x
			) AS "Columns",
			(
				SELECT json_agg(x)
				FROM (
					SELECT
						t.oid::bigint AS "OID",
						format_type(t.oid, NULL) AS "Name",
						t.typtype AS "Kind",
						t.typcategory AS "Category",
						t.typbasetype::bigint AS "Base",
						CASE WHEN t.typcategory = 'A' THEN t.typelem::bigint ELSE 0 END AS "Element",
						coalesce(r.rngsubtype::bigint, 0) AS "Subtype",
						t.typtypmod AS "Modifier",
						t.typnotnull AS "NotNull",
						coalesce(t.typdefault, '') AS "Default",
						(
							SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)
							FROM pg_enum AS e
							WHERE e.enumtypid = t.oid
						) AS "Labels",
						(
							SELECT json_agg(y ORDER BY y."Name")
							FROM (
								SELECT
									k.conname AS "Name",
									pg_get_expr(k.conbin, 0) AS "Expression",
									k.convalidated AS "Validated"
								FROM pg_constraint AS k
								WHERE k.contypid = t.oid
								AND k.contype = 'c'
							) AS y
						) AS "Checks",
						coalesce(o.hash, false) AS "Hash",
						coalesce(o.compare, false) AS "Compare"
					FROM types
					JOIN pg_type AS t ON t.oid = types.oid
					LEFT JOIN pg_range AS r ON t.oid IN (r.rngtypid, r.rngmultitypid)
					LEFT JOIN LATERAL (
						SELECT
							bool_or(o.opcmethod = 405 AND EXISTS (
								SELECT FROM pg_amproc AS p
								WHERE p.amprocfamily = o.opcfamily
								AND p.amproclefttype = o.opcintype
								AND p.amprocnum = 2
							)) AS hash,
							count(*) > 0 AS compare
						FROM pg_opclass AS o
						WHERE o.opcmethod IN (403, 405)
						AND o.opcdefault
						AND (o.opcintype = t.oid OR EXISTS (
							SELECT FROM pg_cast AS i
							WHERE i.castsource = t.oid
							AND i.casttarget = o.opcintype
							AND i.castmethod = 'b'
							AND i.castcontext = 'i'
						))
					) AS o ON true
				) AS x
			) AS "Types",
			(
				SELECT json_agg(x ORDER BY x."Primary" DESC, x."Constraint" DESC, x."Name")
				FROM (
					SELECT
						i.relname AS "Name",
						k.oid IS NOT NULL AS "Constraint",
						n.indisprimary AS "Primary",
						coalesce(pg_get_expr(n.indpred, n.indrelid), '') AS "Predicate",
						NOT n.indimmediate AS "Deferrable",
						NOT coalesce((to_jsonb(n) ->> 'indnullsnotdistinct')::boolean, false) AS "NullsDistinct",
						(
							SELECT json_agg(y ORDER BY y."Place")
							FROM (
								SELECT
									u.place AS "Place",
									coalesce(a.attname, '') AS "Column",
									CASE WHEN a.attname IS NULL THEN pg_get_indexdef(n.indexrelid, u.place::integer, false) ELSE '' END AS "Expression",
									CASE WHEN l.oid IS DISTINCT FROM coalesce(nullif(a.attcollation, 0), CASE WHEN a.attname IS NULL THEN 'pg_catalog.default'::regcollation END) THEN coalesce(l.oid::regcollation::text, '') ELSE '' END AS "Collation",
									l.collisdeterministic IS NOT FALSE AS "Deterministic"
								FROM unnest(n.indkey::smallint[], n.indcollation::oid[]) WITH ORDINALITY AS u(number, collation_oid, place)
								LEFT JOIN attributes AS a ON a.attnum = u.number
								LEFT JOIN pg_collation AS l ON l.oid = u.collation_oid
								WHERE u.place <= n.indnkeyatts
							) AS y
						) AS "Columns"
					FROM pg_index AS n
					JOIN pg_class AS i ON i.oid = n.indexrelid
					LEFT JOIN pg_constraint AS k ON k.conindid = n.indexrelid AND k.conrelid = c.oid AND k.contype IN ('p', 'u')
					WHERE n.indrelid = c.oid
					AND n.indisunique
					AND NOT n.indisexclusion
					AND n.indisvalid
					AND n.indisready
				) AS x
			) AS "Unique",
			(
				SELECT json_agg(x ORDER BY x."Name")
				FROM (
					SELECT
						k.conname AS "Name",
						k.contype AS "Kind",
						CASE WHEN k.contype = 'c' THEN pg_get_expr(k.conbin, k.conrelid) ELSE pg_get_constraintdef(k.oid) END AS "Expression",
						(
							SELECT json_agg(a.attname ORDER BY u.place)
							FROM unnest(k.conkey) WITH ORDINALITY AS u(number, place)
							JOIN attributes AS a ON a.attnum = u.number
						) AS "Columns",
						k.convalidated AS "Validated"
					FROM pg_constraint AS k
					LEFT JOIN pg_index AS n ON n.indexrelid = k.conindid
					WHERE k.conrelid = c.oid
					AND (k.contype IN ('c', 'x') OR k.contype IN ('p', 'u') AND n.indisexclusion)
				) AS x
			) AS "Constraints",
			(
				SELECT json_agg(x ORDER BY x."Name", x."Schema", x."Table")
				FROM (
					SELECT
						k.conname AS "Name",
						k.conrelid = c.oid AS "Own",
						k.confrelid = c.oid AS "Here",
						s.nspname AS "Schema",
						o.relname AS "Table",
						(
							SELECT json_agg(a.attname ORDER BY u.place)
							FROM unnest(k.conkey) WITH ORDINALITY AS u(number, place)
							JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.number
						) AS "From",
						(
							SELECT json_agg(a.attname ORDER BY u.place)
							FROM unnest(k.confkey) WITH ORDINALITY AS u(number, place)
							JOIN pg_attribute AS a ON a.attrelid = k.confrelid AND a.attnum = u.number
						) AS "To",
						k.confdeltype AS "OnDelete",
						k.condeferrable AS "Deferrable"
					FROM pg_constraint AS k
					JOIN pg_class AS o ON o.oid = CASE WHEN k.conrelid = c.oid THEN k.confrelid ELSE k.conrelid END
					JOIN pg_namespace AS s ON s.oid = o.relnamespace
					LEFT JOIN pg_constraint AS parent ON parent.oid = k.conparentid
					WHERE k.contype = 'f'
					AND c.oid IN (k.conrelid, k.confrelid)
					-- Postgres copies a foreign key for each partition of either table.
					AND (parent.oid IS NULL OR NOT (
						k.conrelid = c.oid AND parent.conrelid = c.oid
						OR k.confrelid = c.oid AND parent.confrelid = c.oid
					))
				) AS x
			) AS "ForeignKeys",
			(
				SELECT json_agg(x ORDER BY x."Name")
				FROM (
					SELECT
						g.tgname AS "Name",
						s.nspname || '.' || p.proname AS "Function",
						l.lanname AS "Language",
						l.lanpltrusted AS "Trusted",
						pg_get_triggerdef(g.oid) AS "Definition",
						g.tgtype::integer AS "Bits",
						g.tgenabled IN ('O', 'A') AS "Enabled"
					FROM pg_trigger AS g
					JOIN pg_proc AS p ON p.oid = g.tgfoid
					JOIN pg_namespace AS s ON s.oid = p.pronamespace
					JOIN pg_language AS l ON l.oid = p.prolang
					WHERE g.tgrelid = c.oid
					AND NOT g.tgisinternal
				) AS x
			) AS "Triggers",
			(
				SELECT json_agg(w.rulename ORDER BY w.rulename)
				FROM pg_rewrite AS w
				WHERE w.ev_class = c.oid
				AND w.rulename <> '_RETURN'
			) AS "Rules",
			(
				SELECT json_agg(x ORDER BY x."Name")
				FROM (
					SELECT
						p.polname AS "Name",
						p.polcmd AS "CommandCode",
						p.polpermissive AS "Permissive",
						(
							SELECT json_agg(r.rolname ORDER BY r.rolname)
							FROM pg_roles AS r
							WHERE r.oid = ANY (p.polroles)
						) AS "Roles",
						coalesce(pg_get_expr(p.polqual, p.polrelid), '') AS "Using",
						coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '') AS "WithCheck"
					FROM pg_policy AS p
					WHERE p.polrelid = c.oid
				) AS x
			) AS "Policies"
	) AS answer`
