import { Command } from 'commander'
import { invitePerson } from '../operator/people/invite-person.ts'
import { listEverybody, revokePerson } from '../operator/people/manage-people.ts'
import { consoleAddress } from './console-lines.ts'
import { operate, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface PeopleOptions extends TenantOption {
  readonly role?: string
  readonly json?: boolean
}

/** `sales-agent people invite|list|revoke`: who works in the console. */
export function peopleCommand(): Command {
  const people = new Command('people')
  withStoreOptions(
    people.command('invite').description('make a link by which one person chooses a user name and a password, once'),
  )
    .option('--tenant <id>', 'the publisher that the role is for (default: every publisher)')
    .option('--role <role>', 'administrator, ad_operations, finance or viewer', 'administrator')
    .option('--json')
    .action((options: PeopleOptions) =>
      operate(options, async (operator) => {
        const invitation = await invitePerson(operator, { tenantId: options.tenant, role: options.role ?? '' })
        const link = `${consoleAddress(operator, operator.config)}/join/${invitation.token}`
        const until = invitation.expiresAt.toISOString()
        print(options.json, { link, role: invitation.role, expires_at: until }, [
          `A link for one ${invitation.role}, until ${until}; it is shown this once:`,
          '',
          `  ${link}`,
        ])
      }),
    )
  withStoreOptions(people.command('list').description('list the people and their roles'))
    .option('--json')
    .action((options: PeopleOptions) =>
      operate(options, async (operator) => {
        const rows = await listEverybody(operator)
        const lines = rows.map(({ username, name, status, roles }) => [username, name, status, rolesText(roles)])
        printList(options.json, rows, table(['USER', 'NAME', 'STATUS', 'ROLES'], lines))
      }),
    )
  withStoreOptions(people.command('revoke <username>').description('end an account and all of its sessions now'))
    .option('--json')
    .action((username: string, options: PeopleOptions) =>
      operate(options, async (operator) => {
        await revokePerson(operator, username)
        print(options.json, { username, status: 'revoked' }, [`${username} cannot sign in any more`])
      }),
    )
  return people
}

/** `*` is every publisher. */
function rolesText(roles: Readonly<Record<string, string>>): string {
  return Object.entries(roles)
    .map(([tenant, role]) => `${tenant}: ${role}`)
    .join(', ')
}
