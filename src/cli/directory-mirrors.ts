import type { Command } from 'commander'
import { importMirror, listDirectoryMirrors, removeMirror } from '../operator/directory/mirrors.ts'
import { operate } from './operate.ts'
import { print, printList, table } from './output.ts'
import { type StoreOptions, withStoreOptions } from './store-options.ts'

interface Flags extends StoreOptions {
  readonly json?: boolean
  readonly source?: string
  readonly syncCursor?: string
}

/** `directory mirror import|list|remove`: what other directories say, apart from what this one has verified. */
export function addMirrorCommands(directory: Command): void {
  const mirror = directory.command('mirror').description('snapshots of other directories, apart from the own index')
  withStoreOptions(mirror.command('import <file>').description('take over the snapshot of another directory (NDJSON, or .gz)'))
    .requiredOption('--source <url>', 'address of the directory that the snapshot is of')
    .option('--sync-cursor <cursor>', 'X-Sync-Cursor that came with it')
    .option('--json')
    .action(async (file: string, { source = '', syncCursor, ...options }: Flags) => {
      const result = await operate(options, (operator) => importMirror(operator, { file, source, syncCursor }))
      const skipped = result.skipped === 0 ? '' : `; ${result.skipped} lines name no agent or no publisher`
      print(options.json, result, [`${result.rows} rows of ${result.source}${skipped}`])
    })
  withStoreOptions(mirror.command('list').description('the directories whose snapshots were imported'))
    .option('--json')
    .action(async (options: Flags) => {
      const mirrors = await operate(options, listDirectoryMirrors)
      const cells = mirrors.map((row) => [row.source, String(row.row_count), row.imported_at ?? '', row.sync_cursor ?? ''])
      printList(options.json, mirrors, table(['source', 'rows', 'imported', 'sync cursor'], cells))
    })
  withStoreOptions(mirror.command('remove <source>').description('forget what another directory said'))
    .option('--json')
    .action(async (source: string, options: Flags) => {
      const name = await operate(options, (operator) => removeMirror(operator, source))
      print(options.json, { source: name }, [`${name} is forgotten`])
    })
}
