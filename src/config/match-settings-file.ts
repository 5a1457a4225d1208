import { fieldOf } from '../protocol/field-of.ts'
import type { Schema, Schemas } from '../protocol/schemas.ts'
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
    issues.map(({ pointer, message, keyword }) => {
      const line = file.lineOf(pointer)
      const description = keyword === 'pattern' ? describedAt(schemas.document(schema), pointer) : undefined
      const words = description === undefined ? message : `${message}: ${description}`
      return { key: fieldOf(pointer), message: words, source: path, ...(line !== undefined && { line }) }
    }),
  )
}

/** What a schema says about the member at a JSON pointer, through `properties` and `items`. An error that only quotes the pattern does not say what to write. */
function describedAt(document: Schema, pointer: string): string | undefined {
  let schema: Schema | undefined = document
  for (const part of pointer.split('/').slice(1)) {
    const { properties, items } = (schema ?? {}) as { properties?: Readonly<Record<string, Schema>>; items?: Schema }
    schema = properties?.[part] ?? items
  }
  return typeof schema?.description === 'string' ? schema.description : undefined
}

/** The schema describes the type that the caller names. */
function isSettings<Settings>(_values: unknown, issues: readonly unknown[]): _values is Settings {
  return issues.length === 0
}
