import { workerData } from 'node:worker_threads';
import { checkCopy } from './sqlite-files.ts';

checkCopy(workerData as string);
