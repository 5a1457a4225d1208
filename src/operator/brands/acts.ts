import type { Act } from '../act.ts'
import { exportBrandFile, importBrandFile, listBrands } from './import-brands.ts'

/** What can be done with the brands of a publisher, in the order of the help. */
export const brandActs: readonly Act[] = [importBrandFile, exportBrandFile, listBrands]
