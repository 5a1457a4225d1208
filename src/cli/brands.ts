import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import type { BrandsFile } from '../domain/brand/brands-file.ts'
import { importBrands } from '../domain/brand/import-brands.ts'
import { Schemas } from '../protocol/schemas.ts'
import { loadBrands, saveBrands } from '../store/brands.ts'
import type { Store } from '../store/database.ts'
import { asOperator } from './as-operator.ts'
import { importError, locator, parseJson, readText } from './import-files.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

export interface BrandImportOptions {
  /** Check and compare only. */
  readonly dryRun: boolean
  readonly schemas?: Schemas
}

/** What an import makes of the entries, as `brand nova`, `right nova_voice`, `offering nova_chat`. */
export interface BrandsDiff {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
}

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly dryRun?: boolean
  readonly out?: string
  readonly json?: boolean
}

/**
 * Imports a brands file (schemas/brands-import.json) for a tenant in place of what it had, and says what that changed (or would change). Throws
 * INVALID_REQUEST with one issue a problem when the file is not right in every detail; then nothing is imported.
 */
export async function importBrandFile(
  store: Store,
  tenantId: string,
  path: string,
  { dryRun, schemas = new Schemas() }: BrandImportOptions,
): Promise<BrandsDiff> {
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
        if (options.out === undefined) process.stdout.write(text)
        else writeFileSync(options.out, text)
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
    const diff = await importBrandFile(store, tenantId, path, { dryRun })
    const { added, changed, removed, unchanged } = diff
    const head = `${dryRun ? 'would import' : 'imported'} into ${tenantId}: ${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged.length} unchanged`
    print(options.json, { tenant: tenantId, dry_run: dryRun, ...diff }, [
      head,
      ...added.map((id) => `+ ${id}`),
      ...removed.map((id) => `- ${id}`),
      ...changed.map((id) => `~ ${id}`),
    ])
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
  const text = readText(path)
  const parsed = parseJson(text)
  if (!parsed.ok) throw importError(path, parsed.problems)
  const validators = {
    file: schemas.validator('own:brands-import.json'),
    identity: schemas.validator('brand/get-brand-identity-response.json'),
    rights: schemas.validator('brand/get-rights-response.json'),
  }
  const result = importBrands(withoutSchema(parsed.value), validators)
  if (result.ok) return result.file
  const place = locator(text)
  throw importError(
    path,
    result.problems.map((problem) => ({ ...problem, ...place(problem) })),
  )
}

/** `$schema` is for editors. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== '$schema'))
}

function diffOf(before: BrandsFile | undefined, after: BrandsFile): BrandsDiff {
  const [old, fresh] = [entriesOf(before), entriesOf(after)]
  const kept = [...fresh.keys()].filter((id) => old.has(id))
  return {
    added: [...fresh.keys()].filter((id) => !old.has(id)),
    changed: kept.filter((id) => old.get(id) !== fresh.get(id)),
    removed: [...old.keys()].filter((id) => !fresh.has(id)),
    unchanged: kept.filter((id) => old.get(id) === fresh.get(id)),
  }
}

function entriesOf(file: BrandsFile | undefined): ReadonlyMap<string, string> {
  return new Map([
    ...(file?.brands ?? []).map((brand) => [`brand ${brand.brand_id}`, JSON.stringify(brand)] as const),
    ...(file?.rights ?? []).map((right) => [`right ${right.rights_id}`, JSON.stringify(right)] as const),
    ...(file?.offerings ?? []).map((offering) => [`offering ${offering.offering_id}`, JSON.stringify(offering)] as const),
  ])
}
