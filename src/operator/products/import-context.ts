import { standardFormatIds } from '../../domain/creative/formats/standard-formats.ts'
import type { ImportContext } from '../../domain/product/import-products.ts'
import { PRICING_MODELS } from '../../domain/product/pricing-option.ts'
import type { Schemas } from '../../protocol/schemas.ts'

/** The checks of an import: ours for the file, the official ones for what it holds. */
export function importContext(schemas: Schemas, ownFormats: readonly string[] = []): ImportContext {
  return {
    formatIds: new Set([...standardFormatIds, ...ownFormats]),
    validators: {
      file: schemas.validator('own:products-import.json'),
      product: schemas.validator('core/product.json'),
      property: schemas.validator('core/property.json'),
      collection: schemas.validator('core/collection.json'),
      pricingOption: (model) =>
        PRICING_MODELS.some((each) => each === model)
          ? schemas.validator(`pricing-options/${model.replace('_', '-')}-option.json`)
          : undefined,
    },
  }
}
