import { createFixtures, createRunId } from '../../../conformance/fixtures.ts';
import { createHttpDriver as handsOn } from '../../../conformance/journeys/http-driver.ts';
import {
  createPreconditions,
  type Preconditions,
} from '../../../conformance/journeys/preconditions.ts';
import { createRunContext } from '../../../conformance/run-context.ts';
import type { Driver, Route } from '../../../model/driver.ts';

const stages = new Map<string, Preconditions>();

/** The app's own client and machines before a running backend, as the conformance kit has them. */
export async function httpHands(address: string, start: Route): Promise<Driver> {
  const stage =
    stages.get(address) ??
    createPreconditions(createRunContext(address, createFixtures(1, createRunId())));
  stages.set(address, stage);
  return handsOn(stage, start);
}
