import { Command } from 'commander'
import { exportBrands, importBrands, listBrands } from '../operator/brands/import-brands.ts'
import { askBrandCommand } from './ask-brand.ts'
import { addExport, addImport, exportText, presentIds } from './import-commands.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface ListOptions extends TenantOption {
  readonly json?: boolean
}

/** `sales-agent brands import|export|list|ask`. */
export function brandsCommand(): Command {
  const brands = new Command('brands')
  addImport(brands, {
    description: 'replace the brands with those of a JSON file',
    run: importBrands,
    present: (diff) => ({ ...presentIds(diff), value: diff }),
  })
  addExport(brands, 'write the brands as a file that import reads', async (operator, tenantId) =>
    exportText((await exportBrands(operator, tenantId)) ?? {}),
  )
  withStoreOptions(brands.command('list').description('list brands, rights and offerings'))
    .option('--tenant <id>')
    .option('--json')
    .action(listAction)
  brands.addCommand(askBrandCommand())
  return brands
}

function listAction(options: ListOptions): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { brands, rights, offerings } = await listBrands(operator, tenantId)
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
