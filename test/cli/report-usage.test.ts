import { Command } from 'commander'
import { expect, it } from 'vitest'
import { actsCommand } from '../../src/cli/act-command.ts'
import { ActCommand } from '../../src/cli/act-flags.ts'
import { addFieldOptions } from '../../src/cli/act-options.ts'
import { reportUsage } from '../../src/cli/report-usage.ts'
import { setCredit } from '../../src/operator/accounts/account-money.ts'
import { setAccountStatus } from '../../src/operator/accounts/set-account-status.ts'
import { decideMakeGood } from '../../src/operator/make-goods/decide-make-good.ts'

function usageOf(words: readonly string[], json: boolean): string {
  const said: string[] = []
  const program = new Command('sales-agent').exitOverride()
  program.configureOutput({ writeErr: (text) => said.push(text) })
  const command = new ActCommand('credit').exitOverride().argument('<account>')
  command.configureOutput({ writeErr: (text) => said.push(text) })
  addFieldOptions(command, setCredit, ['account'])
  program.addCommand(command)
  reportUsage(program, json)
  expect(() => program.parse(['credit', ...words], { from: 'user' })).toThrow()
  return said.join('')
}

it('says what is missing in the words of acts', () => {
  expect(usageOf(['--amount', '5'], false)).toMatch(/^error: account is required\n/)
  expect(usageOf(['acc_1'], false)).toMatch(/^error: --amount is required\n/)
  const errorOf = (...words: string[]) => JSON.parse(usageOf(words, true)).error
  expect(errorOf('acc_1')).toEqual({ code: 'INVALID_REQUEST', message: '--amount is required', field: 'amount' })
  expect(errorOf('--amount', '5')).toMatchObject({ message: 'account is required', field: 'account' })
  expect(errorOf('acc_1', '--amount', '5', '--amuont', '5')).toMatchObject({ field: '--amuont' })
})

it('leaves a word that is none of the choices to the act, and shows the choices in the help', () => {
  const command = new ActCommand('status').argument('<account>')
  const read = addFieldOptions(command, setAccountStatus, ['account'])
  command.parse(['acc_1', '--status', 'open'], { from: 'user' })
  expect(read(command.opts())).toEqual({ status: 'open' })
  expect(command.helpInformation()).toContain('"active"')
  const help = [actsCommand('make-goods', [decideMakeGood]).commands[0]?.helpInformation(), command.helpInformation()]
  expect(help).toEqual([expect.stringMatching(/answer {2,}[\s\S]*"accept",\s+"decline"/), expect.stringContaining('(required)')])
  expect(setAccountStatus.fields.status.check('open')).toBe(false)
})
