import { configure } from '@testing-library/react';

configure({ asyncUtilTimeout: 3_000 });
