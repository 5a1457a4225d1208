import { fileURLToPath } from 'node:url'
import type { ValidateFunction } from 'ajv'
import { type CompiledValidators, compiledValidators } from './compiled-validators.ts'
import { newAjv } from './new-ajv.ts'
import type { Schema } from './schema-places.ts'

/** Folder, among those of the releases, of the validators of schemas of ours. */
export const OWN_FOLDER = 'own'

/** Beside the compiled program alone: source is held to its schemas as they are now, whatever was built before. */
const folder = fileURLToPath(new URL(`../validators/${OWN_FOLDER}`, import.meta.url))

/** The validators of schemas of ours that the build compiled (tools/contracts/own-schemas.ts); undefined in a source tree. */
export function builtOwnValidators(): CompiledValidators | undefined {
  return compiledValidators(folder)
}

/** The validator of a schema of ours that is in no file: as the build compiled it under a name, else compiled now, which takes some 50 ms. */
export function ownValidator<Value>(name: string, schema: Schema): ValidateFunction<Value> {
  return builtOwnValidators()?.validator<Value>(name) ?? newAjv().compile<Value>(schema)
}
