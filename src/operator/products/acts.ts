import type { Act } from '../act.ts'
import { archiveProduct, restoreProduct, setProduct } from './change-product.ts'
import { changeProducts } from './change-several.ts'
import { exportProductFile, importProductFile } from './import-products.ts'
import { listProductInventory } from './inventory.ts'
import { searchProducts, showProduct } from './list-products.ts'
import { productHistory } from './product-history.ts'
import { showProductPrices } from './product-prices.ts'
import { saveProduct } from './save-product.ts'
import { removeSeason, setSeason } from './seasons.ts'
import { listProductVisibility } from './visibility.ts'

/** What can be done with products, in the order of the help. */
export const productActs: readonly Act[] = [
  importProductFile,
  exportProductFile,
  searchProducts,
  showProduct,
  showProductPrices,
  productHistory,
  listProductInventory,
  listProductVisibility,
  saveProduct,
  setProduct,
  archiveProduct,
  restoreProduct,
  changeProducts,
  setSeason,
  removeSeason,
]
