import { AdcpError } from '../protocol/errors.ts'

/** The refusal of a person who has no role for the publisher, or none any more. `field`: the member that names the person. */
export function missingPerson(username: string, field = 'username'): AdcpError {
  const message = `there is no person ${username} here; sales-agent people list shows who there is`
  return new AdcpError('REFERENCE_NOT_FOUND', message, { field })
}
