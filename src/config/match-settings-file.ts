import { fieldOf } from '../protocol/field-of.ts'
import type { Schemas } from '../protocol/schemas.ts'
import { ConfigError } from './config-error.ts'
import { readConfigFile } from './config-file.ts'
import { fillDefaults } from './config-settings.ts'

/** Reads the file of a process of Trusted Match, YAML or JSON, with the defaults of its schema. Throws ConfigError with every problem and its line. */
export function readMatchSettings<Settings>(schemas: Schemas, path: string, schema: string): Settings {
  const file = readConfigFile(path)
  if (file.problems.length > 0) throw new ConfigError(file.problems)
  const values: Record<string, unknown> = { ...file.value }
  fillDefaults(values, schemas.document(schema))
  const issues = schemas.validator(schema)(values)
  if (isSettings<Settings>(values, issues)) return values
  throw new ConfigError(
    issues.map(({ pointer, message }) => {
      const line = file.lineOf(pointer)
      return { key: fieldOf(pointer), message, source: path, ...(line !== undefined && { line }) }
    }),
  )
}

/** The schema describes the type that the caller names. */
function isSettings<Settings>(_values: unknown, issues: readonly unknown[]): _values is Settings {
  return issues.length === 0
}
