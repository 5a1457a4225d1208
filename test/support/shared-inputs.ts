import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto'
import { importContext } from '../../src/operator/products/import-context.ts'
import { Schemas } from '../../src/protocol/schemas.ts'

// What is dear to make and never changes: made once for all files of a worker.

/** The schemas of the base release; each validator is compiled at its first use. */
export const schemas = new Schemas()

/** What an import of products is checked with. */
export const productImport = importContext(schemas)

let rsaKey: KeyPairKeyObjectResult | undefined

/** An RSA key of 2,048 bits. */
export function rsaKeyPair(): KeyPairKeyObjectResult {
  rsaKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
  return rsaKey
}
