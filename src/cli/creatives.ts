import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command } from 'commander'
import { creativeActs } from '../operator/creatives/acts.ts'
import { uploadCreative } from '../operator/creatives/upload-file.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { actsCommand } from './act-command.ts'
import { operateFor, performHere, type TenantOption } from './operate.ts'
import { print } from './output.ts'
import { withTenantOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly json?: boolean
}

/** `sales-agent creatives`: the acts of creatives, and `upload`, which reads a file. */
export function creativesCommand(): Command {
  return actsCommand('creatives', creativeActs).addCommand(uploadCommand())
}

function uploadCommand(): Command {
  return withTenantOptions(
    new Command('upload').argument('<file>').description('host an image, a video or an HTML5 archive for your own orders'),
  ).action((path: string, options: Options) =>
    operateFor(options, async (operator, tenantId) => {
      const file = await performHere(operator, tenantId, uploadCreative, {
        name: basename(path),
        content: await readFile(path),
      })
      print(options.json, file, [file.url, ...addressNote(operator)])
    }),
  )
}

/** Without an address in the settings, the one of the server is as its options say when it is started. */
function addressNote({ config: { publicUrl, ads } }: OperatorContext): readonly string[] {
  if (publicUrl !== undefined || ads.publicUrl !== undefined) return []
  return [
    'it is at the address where the server listens: another one with serve --host or --port, or with publicUrl in the settings',
  ]
}
