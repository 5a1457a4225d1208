import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { certificateActs } from '../operator/certificates/acts.ts'
import { certificateNames } from '../operator/certificates/pin-certificate.ts'
import { AdcpError } from '../protocol/errors.ts'
import { actsCommand } from './act-command.ts'
import { printList } from './output.ts'

/** `sales-agent certificates`: the acts of client certificates, and `names`, which reads a file. */
export function certificatesCommand(): Command {
  const names = new Command('names')
    .argument('<file>')
    .description('show the names of a certificate in the form in which they are pinned')
    .option('--json')
    .action((file: string, options: { readonly json?: boolean }) => {
      const found = namesOf(file)
      printList(options.json, found, found)
    })
  return actsCommand('certificates', certificateActs).addCommand(names)
}

function namesOf(file: string): readonly string[] {
  try {
    return certificateNames(readFileSync(file))
  } catch (cause) {
    throw new AdcpError('INVALID_REQUEST', `${file} is no certificate`, { field: 'file', cause })
  }
}
