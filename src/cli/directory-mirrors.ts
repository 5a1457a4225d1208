import type { Command } from 'commander'
import { importMirror, listDirectoryMirrors, removeMirror } from '../operator/directory/mirrors.ts'
import { addAct } from './act-command.ts'
import { operate } from './operate.ts'
import { print } from './output.ts'
import { type StoreOptions, withAnswerOptions } from './store-options.ts'

interface Flags extends StoreOptions {
  readonly json?: boolean
  readonly source?: string
  readonly syncCursor?: string
}

/** `directory mirror import|list|remove`: what other directories say, apart from what this one has verified. */
export function addMirrorCommands(directory: Command): void {
  const mirror = directory.command('mirror').description('snapshots of other directories, apart from the own index')
  withAnswerOptions(mirror.command('import <file>').description('take over the snapshot of another directory (NDJSON, or .gz)'))
    .requiredOption('--source <url>', 'address of the directory that the snapshot is of')
    .option('--sync-cursor <cursor>', 'X-Sync-Cursor that came with it')
    .action(async (file: string, { source = '', syncCursor, ...options }: Flags) => {
      const result = await operate(options, (operator) => importMirror(operator, { file, source, syncCursor }))
      const skipped = result.skipped === 0 ? '' : `; ${result.skipped} lines name no agent or no publisher`
      print(options.json, result, [`${result.rows} rows of ${result.source}${skipped}`])
    })
  for (const act of [listDirectoryMirrors, removeMirror]) addAct(directory, act)
}
