import { Command } from 'commander'
import type { BrandsFile } from '../domain/brand/brands-file.ts'
import { importBrands } from '../domain/brand/import-brands.ts'
import { Schemas } from '../protocol/schemas.ts'
import { loadBrands, saveBrands } from '../store/brand/brands.ts'
import type { Store } from '../store/database.ts'
import { asOperator } from './as-operator.ts'
import { diffEntries, type ImportDiff, printImport, readDocument, writeExport } from './import-document.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

export interface BrandImportOptions {
  /** Check and compare only. */
  readonly dryRun: boolean
  readonly schemas?: Schemas
}

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly dryRun?: boolean
  readonly out?: string
  readonly json?: boolean
}

/**
 * Imports a brands file (schemas/brands-import.json) for a tenant in place of what it had, and says what that changed (or would change). Throws
 * INVALID_REQUEST with one issue a problem when the file is not right in every detail; then nothing is imported. Entries are told as `brand nova`,
 * `right nova_voice`, `offering nova_chat`.
 */
export async function importBrandFile(
  store: Store,
  tenantId: string,
  path: string,
  { dryRun, schemas = new Schemas() }: BrandImportOptions,
): Promise<ImportDiff> {
  const file = readBrands(path, schemas)
  if (dryRun) return diffOf(await exportBrands(store, tenantId), file)
  return asOperator(store, { task: 'brands.import', tenant: tenantId }).transaction(async (tx) => {
    const diff = diffOf(await exportBrands({ read: tx }, tenantId), file)
    await saveBrands(tx, tenantId, file, new Date())
    return diff
  })
}

/** The brands of a tenant as a document of the import format; undefined while there are none. */
export async function exportBrands(store: Pick<Store, 'read'>, tenantId: string): Promise<BrandsFile | undefined> {
  const { house, brands, rights, offerings } = await loadBrands(store.read, tenantId)
  return house && { version: 1, house, brands, rights, offerings }
}

/** `sales-agent brands import|export|list`. */
export function brandsCommand(): Command {
  const brands = new Command('brands').description('brands, rights in them and what they offer in conversations')
  withStoreOptions(brands.command('import <file>').description('replace the brands with those of a JSON file'))
    .option('--tenant <id>')
    .option('--dry-run', 'check the file and show what would change')
    .option('--json')
    .action(importAction)
  withStoreOptions(brands.command('export').description('write the brands as a file that import reads'))
    .option('--tenant <id>')
    .option('--out <file>', 'file to write (default: standard output)')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const file = await exportBrands(store, await chooseTenant(store, options.tenant))
        const text = `${JSON.stringify(file ?? {}, null, 2)}\n`
        writeExport(options.out, text)
      }),
    )
  withStoreOptions(brands.command('list').description('list brands, rights and offerings'))
    .option('--tenant <id>')
    .option('--json')
    .action(listAction)
  return brands
}

function importAction(path: string, options: Options): Promise<void> {
  return withStore(options, async (store) => {
    const tenantId = await chooseTenant(store, options.tenant)
    const dryRun = options.dryRun === true
    printImport(options.json, tenantId, dryRun, await importBrandFile(store, tenantId, path, { dryRun }))
  })
}

function listAction(options: Options): Promise<void> {
  return withStore(options, async (store) => {
    const { brands, rights, offerings } = await loadBrands(store.read, await chooseTenant(store, options.tenant))
    const rows = [
      ...brands.map((brand) => [
        'brand',
        brand.brand_id,
        Object.values(brand.names[0] ?? {})[0] ?? '',
        brand.industries?.join(', ') ?? '',
      ]),
      ...rights.map((right) => ['right', right.rights_id, right.name, right.available_uses.join(', ')]),
      ...offerings.map((offering) => ['offering', offering.offering_id, offering.summary, offering.price_hint ?? '']),
    ]
    print(options.json, { brands, rights, offerings }, table(['KIND', 'ID', 'NAME', 'ABOUT'], rows))
  })
}

function readBrands(path: string, schemas: Schemas): BrandsFile {
  const validators = {
    file: schemas.validator('own:brands-import.json'),
    identity: schemas.validator('brand/get-brand-identity-response.json'),
    rights: schemas.validator('brand/get-rights-response.json'),
  }
  return readDocument(path, (value) => importBrands(value, validators))
}

function diffOf(before: BrandsFile | undefined, after: BrandsFile): ImportDiff {
  return diffEntries(entriesOf(before), entriesOf(after), { merge: false })
}

function entriesOf(file: BrandsFile | undefined): ReadonlyMap<string, string> {
  return new Map([
    ...(file?.brands ?? []).map((brand) => [`brand ${brand.brand_id}`, JSON.stringify(brand)] as const),
    ...(file?.rights ?? []).map((right) => [`right ${right.rights_id}`, JSON.stringify(right)] as const),
    ...(file?.offerings ?? []).map((offering) => [`offering ${offering.offering_id}`, JSON.stringify(offering)] as const),
  ])
}
