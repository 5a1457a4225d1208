import { Command } from 'commander'
import { importFormats, listFormats, listStandardFormats, removeFormat } from '../operator/formats/import-formats.ts'
import { addExport, addImport, exportText } from './import-commands.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly all?: boolean
  readonly json?: boolean
}

/** `sales-agent formats import|list|export|remove`: a publisher's own creative formats beside the standard ones. */
export function formatsCommand(): Command {
  const formats = new Command('formats')
  addImport(formats, {
    description: 'add and change own formats from a JSON file',
    replace: 'take away formats that the file does not list',
    run: importFormats,
    present: (diff) => ({
      value: diff,
      lines: [
        ...diff.added.map((id) => `+ ${id}`),
        ...diff.changed.map((id) => `~ ${id}`),
        ...diff.removed.map((id) => `- ${id}`),
      ],
    }),
  })
  withStoreOptions(formats.command('list').description('list the own formats'))
    .option('--tenant <id>')
    .option('--all', 'also the standard formats, which every product may have')
    .option('--json')
    .action((options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const own = await listFormats(operator, tenantId)
        if (!options.all) {
          const cells = own.map(({ id, type, name, assets = [] }) => [id, type, name, String(assets.length)])
          return printList(options.json, own, table(['FORMAT', 'TYPE', 'NAME', 'SLOTS'], cells))
        }
        const all = [
          ...own.map(({ id, type, name }) => ({ id, type, name, own: true })),
          ...listStandardFormats().map((format) => ({ ...format, own: false })),
        ]
        const rows = all.map(({ id, type, name, own }) => [id, type, name, own ? 'own' : 'standard'])
        printList(options.json, all, table(['FORMAT', 'TYPE', 'NAME', 'WHOSE'], rows))
      }),
    )
  addExport(formats, 'write the own formats as a file that import reads', async (operator, tenantId) =>
    exportText({ version: 1, formats: await listFormats(operator, tenantId) }),
  )
  withStoreOptions(formats.command('remove <format>').description('remove one of the own formats'))
    .option('--tenant <id>')
    .option('--json')
    .action((formatId: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        await removeFormat(operator, { tenantId, formatId })
        print(options.json, { tenant: tenantId, removed: formatId }, [`removed ${formatId}`])
      }),
    )
  return formats
}
