import { _, type Code } from 'ajv/dist/compile/codegen/index.js'
import type { ValueScopeName } from 'ajv/dist/compile/codegen/scope.js'
import { SchemaEnv } from 'ajv/dist/compile/index.js'
import type { AnyValidateFunction } from 'ajv/dist/core.js'
import { withCheckedMembers } from '../../src/protocol/checked-members.ts'
import { withoutProse } from '../../src/protocol/contract-files/normal-form.ts'
import { newAjv } from '../../src/protocol/new-ajv.ts'
import type { Schema } from '../../src/protocol/schema-places.ts'

/** Validators as text of CommonJS modules. */
export interface CompiledValidators {
  /** The file of each root's module, by the path of its schema. */
  readonly index: Readonly<Record<string, string>>
  /** Text by file name: one module a schema, which loads those it refers to, so that a process holds the code of the tasks it is asked for. */
  readonly modules: ReadonlyMap<string, string>
}

/**
 * Compiles the schemas at `roots` and those that they refer to. `documents` are all of a release, by path, each with an `$id`; they may carry prose.
 * Throws what Ajv throws for a schema that is none, and for a reference to a document that is not there.
 */
export function compileValidators(documents: ReadonlyMap<string, Schema>, roots: readonly string[]): CompiledValidators {
  const ajv = newAjv()
  for (const document of documents.values()) ajv.addSchema(withCheckedMembers(withoutProse(document)))
  const validators = roots.map((path): [string, AnyValidateFunction] => {
    const id = documents.get(path)?.$id
    const validate = typeof id === 'string' ? ajv.getSchema(id) : undefined
    if (!validate) throw new Error(`${path} is not among the schemas, or has no $id`)
    return [path, validate]
  })
  return modulesOf(ajv, validators)
}

/** Compiles schemas of ours, by the names that the server asks for their validators by: a path, also of a definition (`own:direct-order.json#/definitions/targeting`), or a name. */
export function compileOwnValidators(schemas: ReadonlyMap<string, Schema>): CompiledValidators {
  const ajv = newAjv()
  const validators = [...schemas].map(([name, schema]): [string, AnyValidateFunction] => [
    name,
    ajv.compile(withoutProse(schema)),
  ])
  return modulesOf(ajv, validators)
}

function modulesOf(
  ajv: ReturnType<typeof newAjv>,
  validators: readonly (readonly [name: string, validate: AnyValidateFunction])[],
): CompiledValidators {
  const modules = new Map<string, string>()
  const index = Object.fromEntries(validators.map(([name, validate]) => [name, moduleOf(validate)]))
  return { index, modules }

  /** Adds the module of a compiled schema and of all that it refers to; gives its file name. */
  function moduleOf({ source }: AnyValidateFunction): string {
    if (!source) throw new Error('a schema was compiled without its source')
    const { validateName, validateCode, scopeValues, evaluated } = source
    const file = `${validateName}.cjs`
    if (modules.has(file)) return file
    // Schemas refer to each other in circles.
    modules.set(file, '')
    const values = ajv.scope.scopeCode(scopeValues, {}, (name) => reference(name, file))
    const tail = evaluated ? _`${validateName}.evaluated = ${evaluated};` : _``
    // What it exports is there before it loads others, for the same reason.
    modules.set(file, ascii(`"use strict";module.exports = ${validateName};${values}${validateCode}${tail}`))
    return file
  }

  /** How the module `from` comes by the validator of another schema; undefined for what is no validator. */
  function reference(name: ValueScopeName, from: string): Code | undefined {
    const of = name.value?.ref
    if (isCompiled(of)) return _`const ${name} = ${required(of, from)};`
    if (!(of instanceof SchemaEnv) || !of.validate) return undefined
    return _`const ${name} = {validate: ${required(of.validate, from)}};`
  }

  function required(validate: AnyValidateFunction, from: string): Code {
    const file = moduleOf(validate)
    return file === from ? _`module.exports` : _`require(${`./${file}`})`
  }
}

function isCompiled(of: unknown): of is AnyValidateFunction {
  return typeof of === 'function' && 'schemaEnv' in of
}

/** One character beyond Latin-1 makes the engine keep the whole module in two bytes a character. */
function ascii(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
