import { readFileSync } from 'node:fs'
import type { BrandsFile } from '../../src/domain/brand/brands-file.ts'
import { importBrands } from '../../src/domain/brand/import-brands.ts'
import { parseProductsFile } from '../../src/domain/product/import-products.ts'
import type { Product } from '../../src/domain/product/product.ts'
import { type ProductsFile, productOf } from '../../src/domain/product/products-file.ts'
import { importSignals } from '../../src/domain/signal/import-signals.ts'
import type { SignalsFile } from '../../src/domain/signal/signal.ts'
import { productImport, schemas } from './shared-inputs.ts'

export const agentUrl = 'https://ads.harborline.example/mcp'

/** The demo publisher's products, imported as a publisher would. */
export function demoProductsFile(): ProductsFile {
  const file: unknown = JSON.parse(readFileSync(new URL('../../demo/products.json', import.meta.url), 'utf8'))
  const result = parseProductsFile(file, productImport)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.file
}

/** Its signals, imported as a publisher would. */
export function demoSignals(): SignalsFile {
  const { $schema: _schema, ...file } = JSON.parse(readFileSync(new URL('../../demo/signals.json', import.meta.url), 'utf8'))
  const validators = {
    file: schemas.validator('own:signals-import.json'),
    response: schemas.validator('signals/get-signals-response.json'),
  }
  const result = importSignals(file, validators)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.file
}

/** Its brands, imported as a publisher would. */
export function demoBrands(): BrandsFile {
  const { $schema: _schema, ...file } = JSON.parse(readFileSync(new URL('../../demo/brands.json', import.meta.url), 'utf8'))
  const result = importBrands(file, {
    file: schemas.validator('own:brands-import.json'),
    identity: schemas.validator('brand/get-brand-identity-response.json'),
    rights: schemas.validator('brand/get-rights-response.json'),
  })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.file
}

/** Its products as the agent at `agentUrl` sells them. */
export function demoProducts(): Product[] {
  return demoProductsFile().products.map((document) => productOf(document, agentUrl))
}
